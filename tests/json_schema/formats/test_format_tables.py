"""What is stored of formats is what their definitions come to."""

import subprocess
import sys
from pathlib import Path

import pytest
from compiled import byte_vocabulary

from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema._formats import (
    KNOWN,
    defined_extent,
    defined_format,
    format_extent,
    recorded_format,
)
from formgate.plugins.json_schema._formats_stored import contents, pack, unpack
from formgate.plugins.json_schema._formats_tables import TABLES
from formgate.plugins.json_schema._strings_record import Recorder

TOOL = Path(__file__).resolve().parents[3] / "tools" / "make_format_tables.py"


def engine(program):
    """The engine of what a program writes."""
    builder = GrammarBuilder()
    builder.start(program.write(builder))
    return builder.build().compile(byte_vocabulary())


def test_the_tables_are_made_of_the_definitions():
    run = subprocess.run(
        [sys.executable, TOOL, "--check"], check=False, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("loose", [False, True])
@pytest.mark.parametrize("name", sorted(KNOWN))
def test_what_is_written_is_what_is_defined(name, loose):
    recorder, node = defined_format(name, loose=loose)
    first, second = engine(recorder.program(node)), engine(recorded_format(name, loose=loose))
    assert first.start().key == second.start().key


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_lengths_are_those_of_the_definition(name):
    assert name in TABLES
    assert format_extent(name) == defined_extent(name)


def test_calls_are_the_same_when_unpacked():
    recorder = Recorder()
    node = recorder.choice(
        recorder.repeat(recorder.char_class([(97, 99), (0x10000, 0x10FFFF)]), 1, None),
        recorder.strings(["b", "ä\\"]),
        recorder.seq(recorder.any_char(), recorder.literal("\n"), recorder.any_char()),
    )
    calls, wanted = recorder.shortened(node)
    text = pack((1, None), calls, wanted)
    low, high, again, kept = contents(text)
    assert (low, high, again, len(kept)) == (1, None, wanted, len(calls))
    first, second = engine(recorder.program(node)), engine(unpack(text).program)
    texts = ["", "b", "aac", "ä\\", "x\ny", "x\n", "\U0001f600a"]
    assert [first.accepts(text) for text in texts] == [second.accepts(text) for text in texts]
    assert first.start().key == second.start().key
