"""Talks to `regrasp mcp` with the protocol's official Python client (`pip install mcp`).

    python3 scripts/check_mcp.py target/debug/regrasp

Lists the tools, looks, rehearses, picks, gets a failure with its reason, and takes a motion
back. Exits with an assertion that failed, or prints what it saw.
"""

import asyncio
import json
import sys

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def wire(answer):
    """As it came: the client's first versions name fields as the protocol does, later ones
    in Python's way."""
    return answer.model_dump(by_alias=True, mode="json")


def said(result):
    result = wire(result)
    return result.get("structuredContent") or json.loads(result["content"][0]["text"])


def failed(result):
    return wire(result)["isError"]


async def main(binary):
    command = StdioServerParameters(command=binary, args=["mcp", "--speed", "1"])
    async with stdio_client(command) as (read, write), ClientSession(read, write) as client:
        info = wire(await client.initialize())
        print("server:", info["serverInfo"]["name"], info["protocolVersion"])
        tools = {tool["name"]: tool for tool in wire(await client.list_tools())["tools"]}
        print("tools:", ", ".join(tools))
        assert tools["pick"]["inputSchema"]["properties"]["object"]
        assert tools["observe"]["annotations"]["readOnlyHint"]

        seen = await client.call_tool("observe", {"camera": "scene", "width": 320})
        assert any(part.type == "image" for part in seen.content)
        print("objects:", [o["id"] for o in said(seen)["objects"]])

        plan = [{"skill": "pick", "args": {"object": "red_cube"}},
                {"skill": "place_on", "args": {"target": "plate"}}]
        check = await client.call_tool("plan_check", {"calls": plan})
        assert said(check)["feasible"], said(check)
        before = said(await client.call_tool("status", {}))
        assert before["held"] is None, "a rehearsal moves nothing"

        progress = []

        async def told(done, total, message):
            progress.append(message)

        picked = await client.call_tool("pick", {"object": "red_cube"}, progress_callback=told)
        assert not failed(picked), said(picked)
        print("picked:", said(picked)["reason_detail"], "| progress:", progress[:3])

        again = await client.call_tool("pick", {"object": "red_cube"})
        assert failed(again) and said(again)["reason"] == "gripper_occupied", said(again)
        print("failed as it should:", said(again)["reason"], "-", said(again)["reason_detail"])

        with anyio.move_on_after(0.05):
            await client.call_tool("home", {})
        await asyncio.sleep(0.5)
        status = said(await client.call_tool("status", {}))
        assert status["doing"] is None, status
        print("taken back; held:", status["held"])

        try:
            await client.call_tool("dance", {})
        except Exception as error:  # the client's own type
            print("unknown tool:", error)
        else:
            raise AssertionError("an unknown tool is an error of the protocol")


asyncio.run(main(sys.argv[1]))
