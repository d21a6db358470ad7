# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A transformer of two layers trained on the LPU: the loss follows eager's."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from trap import trap

VOCABULARY, WIDTH, HEADS, LENGTH, STEPS = 48, 32, 2, 12, 20


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.norm1(x)).view(batch, length, 3, HEADS, width // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    """Tokens and the tokens after them -> the mean loss."""

    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

    def forward(self, ids, labels):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), labels.flatten())


def train(model, loss_of, batches, compiled_step=False):
    """The loss of each step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    step = optimizer.step
    if compiled_step:
        step = torch.compile(step, backend="lpu", options={"fallback": "error"})
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(batch[:, :-1].contiguous(), batch[:, 1:].contiguous())
        loss.backward()
        step()
        losses.append(loss.detach())
    return torch.stack(losses)


@pytest.mark.parametrize(
    "compiled_step",
    [False, pytest.param(True, marks=pytest.mark.long)],
    ids=["eager step", "compiled step"],
)
def test_the_loss_follows_eager(compiled_step, compilations):
    ours = Transformer()
    eager = copy.deepcopy(ours)
    data = torch.randint(VOCABULARY, (8, LENGTH + 1))  # The same sequences come again, to be learned.
    batches = [data[4 * (step % 2) :][:4] for step in range(STEPS)]
    expected = train(eager, eager, batches)
    compiled = torch.compile(
        ours, backend="lpu", fullgraph=True, dynamic=False, options={"fallback": "error"}
    )
    losses = train(ours, compiled, batches, compiled_step)
    assert expected[-1] < expected[0] - 1
    torch.testing.assert_close(losses, expected, rtol=0, atol=1e-4)
    assert len(compilations) == 1 + compiled_step  # A graph with its gradients, and that of the step.


def test_forward_and_backward_run_on_the_lpu_alone():
    model = Transformer()
    compiled = torch.compile(
        model, backend="lpu", fullgraph=True, dynamic=False, options={"fallback": "error"}
    )
    ids, labels = torch.randint(VOCABULARY, (2, 4, LENGTH))
    compiled(ids, labels).backward()
    expected = [parameter.grad.clone() for parameter in model.parameters()]
    parameters = list(model.parameters())
    one = torch.tensor(1.0)
    with trap():
        loss = compiled(ids, labels)
        gradients = torch.autograd.grad(loss, parameters, one)
    assert all(torch.equal(a, b) for a, b in zip(gradients, expected, strict=True))
