"""Talks to `regrasp mcp` with the protocol's official Python client (`pip install mcp`).

    python3 scripts/check_mcp.py target/debug/regrasp

Lists the tools, observes, rehearses, picks, gets a failure with its reason, cancels a motion, and
approves and refuses calls, over standard input and output and over HTTP. Prints the answers, and
exits with an assertion if one is wrong.
"""

import asyncio
import json
import re
import subprocess
import sys

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def wire(answer):
    """Returns an answer with the field names of the protocol. Versions of the client differ in their own names."""
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
        assert before["held"] is None, "the rehearsal changed the held object"

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
        print("cancelled; held:", status["held"])

        try:
            await client.call_tool("dance", {})
        except Exception as error:  # the client's own type
            print("unknown tool:", error)
        else:
            raise AssertionError("a call of an unknown tool is not an error of the protocol")


async def approvals(client, asked, answer):
    """Checks calls of which every step must be approved. `answer["yes"]` is what the user answers."""
    answer["yes"] = False
    refused = await client.call_tool("pick", {"object": "red_cube"})
    assert failed(refused) and said(refused)["reason"] == "approval_denied", said(refused)
    answer["yes"] = True
    picked = await client.call_tool("pick", {"object": "red_cube"})
    assert not failed(picked), said(picked)
    assert len(asked) == 2 and "pick" in asked[0], asked
    print("asked:", asked[0], "| refused:", said(refused)["reason_detail"])


def person(answer, asked):
    """Returns the callback that answers for the user of the client."""
    from mcp.types import ElicitResult

    async def ask(_, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"approve": answer["yes"]})

    return ask


async def approved_by_request(binary):
    """Checks a client that initializes: the server asks it for approval by a request."""
    command = StdioServerParameters(command=binary, args=["mcp", "--approve", "always"])
    answer, asked = {}, []
    async with stdio_client(command) as (read, write):
        async with ClientSession(read, write, elicitation_callback=person(answer, asked)) as client:
            await client.initialize()
            await approvals(client, asked, answer)
    async with stdio_client(command) as (read, write), ClientSession(read, write) as client:
        await client.initialize()
        refused = await client.call_tool("home", {})
        assert failed(refused) and said(refused)["reason"] == "approval_denied", said(refused)
        print("no user to ask:", said(refused)["reason_detail"])


async def approved_by_result(binary):
    """Checks a client of version 2026-07-28, which asks its user between two calls."""
    try:
        from mcp import Client
    except ImportError:
        print("this client is older than 2026-07-28")
        return
    answer, asked = {}, []
    command = StdioServerParameters(command=binary, args=["mcp", "--approve", "always"])
    async with Client(command, elicitation_callback=person(answer, asked)) as client:
        await approvals(client, asked, answer)
    command = [binary, "mcp", "--approve", "always", "--http", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+", server.stderr.readline()).group()
        for mode in ["legacy", "auto"]:
            answer, asked = {}, []
            ask = person(answer, asked)
            async with Client(address, mode=mode, elicitation_callback=ask) as client:
                print("over HTTP,", client.protocol_version)
                await approvals(client, asked, answer)
                # The next client finds the hand empty.
                await client.call_tool("reset", {"scene": "tabletop"})
    finally:
        server.terminate()
        server.wait()


asyncio.run(main(sys.argv[1]))
asyncio.run(approved_by_request(sys.argv[1]))
asyncio.run(approved_by_result(sys.argv[1]))
