"""The network: token ids, positions and spans -> logits. It knows no tokenizer, request or HTTP."""
