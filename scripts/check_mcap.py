"""Reads a recording with the makers' own reader of MCAP and says what is in it.

    pip install mcap
    python scripts/check_mcap.py runs/covered-seed0-000/recording.mcap

Ends with 1 if a message is no JSON, lacks what its schema calls required, or the index
counts other messages than there are.
"""

import collections
import json
import sys

from mcap.reader import make_reader


def main(path):
    counts, last = collections.Counter(), 0
    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True)
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            value = json.loads(message.data)
            required = json.loads(schema.data).get("required", [])
            missing = [name for name in required if name not in value]
            assert not missing, f"{channel.topic} lacks {missing}"
            counts[channel.topic] += 1
            last = max(last, message.log_time)
        attachments = [a.name for a in reader.iter_attachments()]
        summary = reader.get_summary()
    if summary and summary.statistics:
        told = summary.statistics.message_count
        assert told == sum(counts.values()), f"the index tells of {told} messages"
    for topic, n in sorted(counts.items()):
        print(f"{topic:16} {n}")
    print(f"{last / 1e9:.2f} s simulated, attachments: {', '.join(attachments)}")


if __name__ == "__main__":
    main(sys.argv[1])
