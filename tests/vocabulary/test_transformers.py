"""transformers tokenizers: the backend's bytes, stop ids, and what is refused."""

from __future__ import annotations

import json

import pytest

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary import Vocabulary, read_table

transformers = pytest.importorskip("transformers")


@pytest.fixture
def fast(byte_level_tokenizer):
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=byte_level_tokenizer)
    tokenizer.add_special_tokens({"eos_token": "<|end|>", "pad_token": "<|pad|>"})
    return tokenizer


def test_the_backend_s_bytes_and_the_end_token(fast, byte_level_tokenizer):
    table = read_table(fast)
    assert table.tokens == read_table(byte_level_tokenizer).tokens
    assert table.special == {"<|end|>": 0, "<|pad|>": 1, "<|late|>": len(table.tokens) - 1}
    assert table.stop_ids == (0,)
    assert table.source.startswith("transformers ")


def test_generation_config_of_the_folder_it_came_from(fast, tmp_path):
    fast.save_pretrained(tmp_path)
    settings = tmp_path / "generation_config.json"
    settings.write_text(json.dumps({"eos_token_id": [1, 343]}))
    loaded = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert read_table(loaded).stop_ids == (0, 1, 343)
    settings.write_text(json.dumps({"eos_token_id": "<|pad|>"}))
    with pytest.raises(VocabularyError, match=r"generation_config.json: eos_token_id: '<\|pad\|>'"):
        read_table(loaded)


def test_a_saved_folder_reads_as_the_object_does(fast, tmp_path):
    fast.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"vocab_size": 400, "eos_token_id": 1}))
    from_folder = Vocabulary.from_file(tmp_path)
    assert from_folder == Vocabulary.from_tokenizer(fast, size=400)
    assert from_folder.stop_ids == (0,)


def test_an_unknown_end_must_be_passed(byte_level_tokenizer):
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=byte_level_tokenizer)
    with pytest.raises(
        VocabularyError, match=r"does not say which token ends the output.*'<\|end\|>' = 0"
    ):
        Vocabulary.from_tokenizer(tokenizer)
    assert Vocabulary.from_tokenizer(tokenizer, stop_ids=[1]).stop_ids == (1,)


def test_a_processor_s_tokenizer_is_read(fast):
    processor = transformers.ProcessorMixin.__new__(transformers.ProcessorMixin)
    processor.tokenizer = fast
    assert read_table(processor).tokens == read_table(fast).tokens


def test_a_class_with_its_own_decoding_is_refused(byte_level_tokenizer):
    class Shouting(transformers.PreTrainedTokenizerFast):
        def _decode(self, *args, **kwargs):
            return super()._decode(*args, **kwargs).upper()

    with pytest.raises(VocabularyError, match=r"Shouting has a _decode\(\) of its own"):
        read_table(Shouting(tokenizer_object=byte_level_tokenizer))


def test_tokenizers_in_python_are_refused(train_sentencepiece, tmp_path):
    with pytest.raises(VocabularyError, match="ByT5Tokenizer decodes in Python code"):
        read_table(transformers.ByT5Tokenizer())
    model = tmp_path / "spiece.model"
    model.write_bytes(train_sentencepiece())
    slow = transformers.GPTSw3Tokenizer(vocab_file=str(model))
    with pytest.raises(VocabularyError, match=r"or pass its \.sp_model if that is what you decode"):
        read_table(slow)
    assert read_table(slow.sp_model) is not None


def test_slow_sentencepiece_decoding_is_no_concatenation(train_sentencepiece, tmp_path):
    """Why they are refused: spaces at the ends of the text are lost."""
    model = tmp_path / "spiece.model"
    model.write_bytes(train_sentencepiece())
    slow = transformers.BertGenerationTokenizer(vocab_file=str(model))
    space = slow.convert_tokens_to_ids("\u2581")
    letter = slow.convert_tokens_to_ids("t")
    assert slow.decode([letter, space]) == "t"
    assert slow.decode([letter, space, letter]) == "t t"
