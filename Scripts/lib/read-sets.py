#!/usr/bin/env python3
"""Makes a list of pictures, and reads the data set that was made of it as those who train models do.

read-sets.py make FOLDER                 pictures in FOLDER/served, of which some are none, and a table FOLDER/list.jsonl with PORT for the port
read-sets.py read FOLDER IMAGES FAILED   the shards in FOLDER, by datasets (Hugging Face), webdataset and torch's loader
"""
import glob
import io
import json
import os
import sys

LINES = 300


def make(folder):
    from PIL import Image

    os.makedirs(f"{folder}/served")
    for number in range(LINES):
        picture = Image.effect_noise((64 + number % 7, 48), 60).convert("RGB")
        kind = ("JPEG", "PNG", "WEBP")[number % 3] if number % 10 == 0 else "JPEG"
        picture.save(f"{folder}/served/{number}", kind)
    for number in range(5, LINES, 50):
        with open(f"{folder}/served/{number}", "w") as out:
            out.write("<!doctype html><title>no image</title>")
    with open(f"{folder}/list.jsonl", "w") as out:
        for number in range(LINES):
            caption = None if number % 4 == 1 else f"\u2603 {number}\n\"x\""
            row = {"url": f"http://127.0.0.1:PORT/{number}", "caption": caption, "score": float("nan") if number % 9 == 0 else number / 3}
            out.write(json.dumps(row) + "\n")


def images_of(samples, key):
    from PIL import Image

    count = 0
    for sample in samples:
        image = sample[key]
        if isinstance(image, bytes):
            image = Image.open(io.BytesIO(image))
        image.load()
        count += 1
    return count


def read(folder, images, failed):
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HOME=f"{folder}/../hub")
    import datasets
    import webdataset

    shards = sorted(glob.glob(f"{folder}/*.tar"))
    for streaming in (True, False):
        data = datasets.load_dataset("webdataset", data_files={"train": shards}, split="train", streaming=streaming)
        rows = list(data)
        assert len(rows) == images, (len(rows), images)
        assert all(row["jpg"] is not None and row["json"]["record"] in row["__key__"] for row in rows)
        assert {row["txt"] for row in rows if not row["txt"]} == {""}, "a null caption is an empty text"
        print(f"datasets {datasets.__version__}, streaming {streaming}: {images_of(rows, 'jpg')} images")
    plain = webdataset.WebDataset(shards, shardshuffle=False)
    rows = list(plain)
    assert len(rows) == images and not any("__imgfetch__" in row["__key__"] for row in rows)
    assert all({"jpg", "json", "txt"} <= set(row) for row in rows)
    print(f"webdataset {webdataset.__version__}: {images_of(rows, 'jpg')} images")
    load(shards, images)
    rows = 0
    for shard in shards:
        with open(shard, "rb") as file:
            file.seek(-1536, os.SEEK_END)
            end = json.loads(file.read(512))
        rows += end["failed"]
    assert rows == failed, (rows, failed)


def load(shards, images):
    try:
        import torch
    except ImportError:
        print("torch is missing: its loader is left out")
        return
    import webdataset

    decoded = webdataset.WebDataset(shards, shardshuffle=False).decode("torchrgb").to_tuple("jpg", "json", "txt")
    loader = torch.utils.data.DataLoader(decoded, batch_size=None, num_workers=2)
    count = 0
    for tensor, row, text in loader:
        assert tensor.shape == (3, row["height"], row["width"]), (tensor.shape, row)
        count += 1
    assert count == images, (count, images)
    print(f"torch {torch.__version__}, two workers: {count} tensors")


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    read(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
