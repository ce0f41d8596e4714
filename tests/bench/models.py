"""Writes tiny models with random weights, one for each way a server's prompt cache can work.

    python tests/bench/models.py KIND DONOR.gguf OUT.gguf [TEMPLATE.jinja]

KIND is full (Qwen3: attention to everything, the cache can be rolled back anywhere), window
(Gemma 3: sliding window, only so far back) or hybrid (Qwen3.5: gated delta nets and attention, not
at all). The tokenizer is DONOR's, which may be a vocabulary without weights; so is the chat
template, unless one is given: it should render tools. What such a model writes means nothing; how a
server counts, keeps and reads its prompt again is that of a real one.

Needs numpy and gguf-py, whose folder CLINKAI_BENCH_GGUF names where it is not installed. The same
arguments make the same file.
"""

from __future__ import annotations

import os
import sys

SEED = 7
WIDE, INNER, LAYERS = 64, 128, 8
HEADS, KV_HEADS, HEAD = 4, 2, 32
STATE, GROUPS, VALUE_HEADS, CONVOLVED = 32, 2, 4, 4
"""Of the delta nets."""
EVERY = 4
"""Of the hybrid's layers every fourth is attention."""
NEAR = 512
"""The sliding window, in tokens, as the small Gemma 3 models have it."""

ARCHITECTURES = {"full": "qwen3", "window": "gemma3", "hybrid": "qwen35"}


def write(kind: str, donor: str, out: str, template: str = "") -> None:
    """Write the model to the path `out`."""
    gguf = _gguf()
    file = gguf.GGUFWriter(out, ARCHITECTURES[kind])
    file.add_name(f"tiny-random-{kind}")
    file.add_context_length(262_144)
    file.add_block_count(LAYERS)
    file.add_embedding_length(WIDE)
    file.add_feed_forward_length(INNER)
    file.add_head_count(HEADS)
    file.add_head_count_kv(KV_HEADS)
    file.add_key_length(HEAD)
    file.add_value_length(HEAD)
    file.add_layer_norm_rms_eps(1e-6)
    file.add_rope_freq_base(1e6)
    file.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    if kind == "window":
        file.add_sliding_window(NEAR)
    if kind == "hybrid":
        file.add_rope_dimension_count(HEAD)
        file.add_rope_dimension_sections([6, 5, 5, 0])
        file.add_ssm_conv_kernel(CONVOLVED)
        file.add_ssm_inner_size(STATE * VALUE_HEADS)
        file.add_ssm_state_size(STATE)
        file.add_ssm_time_step_rank(VALUE_HEADS)
        file.add_ssm_group_count(GROUPS)
        file.add_full_attention_interval(EVERY)
    tokens = _borrow(gguf, file, donor, template)
    for name, values in _tensors(kind, tokens):
        file.add_tensor(name, values)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def _gguf():
    folder = os.environ.get("CLINKAI_BENCH_GGUF")
    if folder:
        sys.path.insert(0, folder)
    import gguf
    return gguf


def _borrow(gguf, file, donor: str, template: str) -> int:
    """Copy the tokenizer; return how many tokens it has."""
    fields = gguf.GGUFReader(donor).fields
    for name, field in fields.items():
        if name.startswith("tokenizer.") and name != "tokenizer.chat_template":
            inner = field.types[-1] if len(field.types) > 1 else None
            file.add_key_value(name, field.contents(), field.types[0], inner)
    if template:
        with open(template, encoding="utf-8") as words:
            file.add_chat_template(words.read())
    elif "tokenizer.chat_template" in fields:
        file.add_chat_template(fields["tokenizer.chat_template"].contents())
    count = len(fields["tokenizer.ggml.tokens"].data)
    file.add_vocab_size(count)
    return count


def _tensors(kind: str, tokens: int):
    """(name, values) of every tensor."""
    import numpy
    random = numpy.random.default_rng(SEED)

    def matrix(rows: int, columns: int, of=numpy.float16):
        return (random.standard_normal((rows, columns), numpy.float32) * 0.05).astype(of)

    def same(count: int, value: float = 1):
        return numpy.full(count, value, numpy.float32)

    yield "token_embd.weight", matrix(tokens, WIDE)
    yield "output_norm.weight", same(WIDE)
    for layer in range(LAYERS):
        if kind == "hybrid" and (layer + 1) % EVERY:
            found = _delta_net(matrix, same, numpy.float32)
        else:
            found = _attention(matrix, same, 2 if kind == "hybrid" else 1)  # query and gate in one
        norms = {"full": ("ffn_norm",), "hybrid": ("post_attention_norm",),
                 "window": ("post_attention_norm", "ffn_norm", "post_ffw_norm")}[kind]
        found.update({f"{name}.weight": same(WIDE) for name in ("attn_norm", *norms)})
        found["ffn_gate.weight"] = matrix(INNER, WIDE)
        found["ffn_up.weight"] = matrix(INNER, WIDE)
        found["ffn_down.weight"] = matrix(WIDE, INNER)
        for name, values in found.items():
            yield f"blk.{layer}.{name}", values


def _attention(matrix, same, parts: int) -> dict:
    return {
        "attn_q.weight": matrix(HEADS * HEAD * parts, WIDE),
        "attn_k.weight": matrix(KV_HEADS * HEAD, WIDE),
        "attn_v.weight": matrix(KV_HEADS * HEAD, WIDE),
        "attn_output.weight": matrix(WIDE, HEADS * HEAD),
        "attn_q_norm.weight": same(HEAD), "attn_k_norm.weight": same(HEAD),
    }


def _delta_net(matrix, same, exact) -> dict:
    keys, values = STATE * GROUPS, STATE * VALUE_HEADS
    return {
        "attn_qkv.weight": matrix(2 * keys + values, WIDE),
        "attn_gate.weight": matrix(values, WIDE),
        "ssm_conv1d.weight": matrix(2 * keys + values, CONVOLVED, exact),
        "ssm_dt.bias": same(VALUE_HEADS, -3), "ssm_a": same(VALUE_HEADS, -1),
        "ssm_beta.weight": matrix(VALUE_HEADS, WIDE),
        "ssm_alpha.weight": matrix(VALUE_HEADS, WIDE),
        "ssm_norm.weight": same(STATE), "ssm_out.weight": matrix(WIDE, values),
    }


if __name__ == "__main__":
    write(*sys.argv[1:])
