"""Real tokenizers against their real decoders: random id sequences, no mismatch.

For each: thousands of random sequences of ids with text, and every id by itself. The bytes we
claim, put in a row, must be what the decoder emits. Decoders return text, so bytes that are not
text come back as U+FFFD; how many is the decoder's custom, which each comparison follows.
"""

from __future__ import annotations

import codecs

import pytest

from formgate.core.vocabulary import Vocabulary, read_table
from formgate.core.vocabulary._files import read_file

COUNT = 4000

codecs.register_error(
    "formgate-each-byte", lambda error: ("\ufffd" * (error.end - error.start), error.end)
)


def joined(table, ids):
    return b"".join(table.tokens[i] for i in ids)


def shown_by_runs(table, ids, is_byte, errors):
    """Return the text of a decoder that decodes each run of byte tokens by itself."""
    parts, run = [], b""
    for i in [*ids, None]:
        if i is not None and is_byte(i):
            run += table.tokens[i]
            continue
        if errors == "all or nothing":
            try:
                parts.append(run.decode())
            except UnicodeDecodeError:
                parts.append("\ufffd" * len(run))
        else:
            parts.append(run.decode(errors=errors))
        run = b""
        if i is not None:
            parts.append(table.tokens[i].decode())
    return "".join(parts)


def all_ids(table):
    return [[i] for i, text in enumerate(table.tokens) if text is not None]


def mismatches(cases, decode, expected):
    return [ids for ids in cases if decode(ids) != expected(ids)][:5]


def test_smollm2_through_transformers(smollm2_transformers, sequences):
    table = read_table(smollm2_transformers)
    cases = [*sequences(table, COUNT), *all_ids(table)]
    decoded = smollm2_transformers.batch_decode(
        cases, skip_special_tokens=True, clean_up_tokenization_spaces=False
    )
    wrong = [
        ids
        for ids, text in zip(cases, decoded, strict=True)
        if joined(table, ids).decode(errors="replace") != text
    ]
    assert wrong == []
    assert len(table.special) == 17


def test_smollm2_from_the_file_is_the_same(smollm2_transformers, smollm2_path):
    from_file = read_file(smollm2_path)
    from_object = read_table(smollm2_transformers)
    assert from_file.tokens == from_object.tokens
    assert from_file.special == from_object.special
    assert from_object.stop_ids == (2,)
    assert from_file.stop_ids == (0, 2, 4)  # every id at which llama.cpp stops
    vocabulary = Vocabulary.from_file(smollm2_path.parent)
    assert vocabulary.missing_bytes == bytes.fromhex(
        "04 06 13 14 16 1d c0 c1 f1 f2 f5 f6 f7 f8 f9 fa fb fc fd fe ff"
    )


def test_deepseek(deepseek_path, sequences):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(deepseek_path))
    table = read_file(deepseek_path)
    assert table.stop_ids == (1,)
    cases = [*sequences(table, COUNT), *all_ids(table)]
    decoded = tokenizer.decode_batch(cases, skip_special_tokens=True)
    wrong = [
        ids
        for ids, text in zip(cases, decoded, strict=True)
        if joined(table, ids).decode(errors="replace") != text
    ]
    assert wrong == []
    from_object = read_table(tokenizer)
    assert from_object.tokens == table.tokens
    assert from_object.special == table.special
    assert len(table.special) == 1230
    assert table.tokens.count(None) == 1230


@pytest.fixture(scope="module")
def tekkenizer(data_file):
    module = pytest.importorskip("mistral_common.tokens.tokenizers.tekken")
    return module.Tekkenizer.from_file(data_file("mistral-common", "tekken_240911.json"))


def test_tekken(tekkenizer, data_file, sequences):
    table = read_file(data_file("mistral-common", "tekken_240911.json"))
    wrong = mismatches(
        sequences(table, COUNT),
        tekkenizer.decode,
        lambda ids: joined(table, ids).decode(errors="replace"),
    )
    assert wrong == []
    from_object = read_table(tekkenizer)  # asks for the bytes of every id
    assert from_object.tokens == table.tokens
    assert from_object.special == table.special
    assert from_object.stop_ids == table.stop_ids == (2,)
    assert read_file(data_file("mistral-common", "tekken_240718.json")).tokens == table.tokens


def test_mistral_wrappers_are_opened(tekkenizer):
    module = pytest.importorskip("mistral_common.tokens.tokenizers.mistral")
    wrapper = module.MistralTokenizer.__new__(module.MistralTokenizer)
    wrapper.instruct_tokenizer = type("Instruct", (), {"tokenizer": tekkenizer})()
    transformers = pytest.importorskip("transformers")
    backend = transformers.MistralCommonBackend.__new__(transformers.MistralCommonBackend)
    backend.tokenizer = wrapper
    expected = read_table(tekkenizer)
    assert read_table(wrapper) == expected
    assert read_table(backend) == expected


@pytest.mark.parametrize(
    "name",
    [
        "tokenizer.model.v1",
        "mistral_instruct_tokenizer_240216.model.v2",
        "mistral_instruct_tokenizer_240323.model.v3",
        "mistral_instruct_tokenizer_241114.model.v7",
    ],
)
def test_mistral_sentencepiece_models(data_file, sequences, name):
    sentencepiece = pytest.importorskip("sentencepiece")
    path = data_file("mistral-common", name)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    table = read_file(path)
    assert read_table(processor).tokens == table.tokens
    check_processor(processor, table, [*sequences(table, COUNT), *all_ids(table)])
    assert table.stop_ids == (processor.eos_id(),)


def test_mistral_sentencepiece_tokenizer_object(data_file):
    module = pytest.importorskip("mistral_common.tokens.tokenizers.sentencepiece")
    path = data_file("mistral-common", "mistral_instruct_tokenizer_240323.model.v3")
    assert read_table(module.SentencePieceTokenizer(path)).tokens == read_file(path).tokens


def check_processor(processor, table, cases):
    """Compare in the middle of a text: after a letter, whose first character is then cut off."""
    letter = processor.piece_to_id("q")
    assert processor.decode([letter]) == "q"
    wrong = mismatches(
        cases,
        lambda ids: processor.decode([letter, *ids])[1:],
        lambda ids: shown_by_runs(table, ids, processor.is_byte, "formgate-each-byte"),
    )
    assert wrong == []


@pytest.mark.parametrize("model_type", ["bpe", "unigram", "char"])
def test_trained_sentencepiece_models(train_sentencepiece, sequences, model_type):
    import sentencepiece

    model = train_sentencepiece(
        model_type=model_type, hard_vocab_limit=False, user_defined_symbols=["q", "\u2581\u2581"]
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    table = read_table(processor)
    check_processor(processor, table, [*sequences(table, COUNT), *all_ids(table)])


def test_qwen_tiktoken(data_file, sequences):
    tiktoken = pytest.importorskip("tiktoken")
    from tiktoken.load import load_tiktoken_bpe

    path = data_file("dashscope", "qwen.tiktoken")
    ranks = load_tiktoken_bpe(str(path))
    special = {"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645}
    encoding = tiktoken.Encoding(
        "qwen", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens=special
    )
    table = read_file(path, size=151_936, stop_ids=[151_643, 151_645])
    cases = [*sequences(table, COUNT), *all_ids(table)]
    assert mismatches(cases, encoding.decode_bytes, lambda ids: joined(table, ids)) == []
    from_object = Vocabulary.from_tokenizer(encoding, size=151_936)
    assert from_object.stop_ids == (151_643,)
    assert [from_object.token_bytes(i) for i in range(len(from_object))] == table.tokens


def test_trained_byte_level(byte_level_tokenizer, sequences):
    table = read_table(byte_level_tokenizer)
    wrong = mismatches(
        [*sequences(table, COUNT), *all_ids(table)],
        byte_level_tokenizer.decode,
        lambda ids: joined(table, ids).decode(errors="replace"),
    )
    assert wrong == []


def test_trained_byte_fallback(byte_fallback_tokenizer, sequences):
    table = read_table(byte_fallback_tokenizer)
    letter = byte_fallback_tokenizer.token_to_id("q")
    bytes_from = byte_fallback_tokenizer.token_to_id("<0x00>")
    wrong = mismatches(
        [*sequences(table, COUNT), *all_ids(table)],
        lambda ids: byte_fallback_tokenizer.decode([letter, *ids])[1:],
        lambda ids: shown_by_runs(
            table, ids, lambda i: bytes_from <= i < bytes_from + 256, "all or nothing"
        ),
    )
    assert wrong == []


def test_trained_unigram_with_metaspace(sequences):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.decoder = tokenizers.decoders.Metaspace()
    names = {"unk_token": "<unk>", "special_tokens": ["<unk>"]}
    trainer = tokenizers.trainers.UnigramTrainer(vocab_size=60, show_progress=False, **names)
    tokenizer.train_from_iterator(["the quick brown fox jumps over the lazy dog"] * 9, trainer)
    table = read_table(tokenizer)
    letter = tokenizer.token_to_id("q")
    wrong = mismatches(
        [*sequences(table, COUNT), *all_ids(table)],
        lambda ids: tokenizer.decode([letter, *ids])[1:],
        lambda ids: joined(table, ids).decode(),
    )
    assert wrong == []
