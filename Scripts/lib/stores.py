"""Places as another client sees them: web servers through curl, buckets through boto3."""
import os
import subprocess
import urllib.parse


class Web:
    """A folder of a WebDAV server. Keys are paths below it, as they are written; `account` is "name:password"."""

    def __init__(self, url, folder, account=None):
        self.url, self.folder, self.account = url, folder, account

    def place(self, key, account=None):
        """What imgfetch is given."""
        account = account or self.account
        url = self.url.replace("://", f"://{account}@", 1) if account else self.url
        return f"{url}/{urllib.parse.quote(key)}"

    def _command(self, key, *arguments):
        user = ["--user", self.account] if self.account else []
        return ["curl", "-sS", *user, *arguments, f"{self.url}/{urllib.parse.quote(key)}"]

    def _curl(self, key, *arguments):
        return subprocess.run(self._command(key, "--fail", *arguments), check=True, stdout=subprocess.PIPE).stdout

    def read(self, key):
        return self._curl(key)

    def type(self, key):
        return self._curl(key, "-o", "/dev/null", "-w", "%{content_type}").decode()

    def stands(self, key):
        """What changes when an object is written once more."""
        return self._curl(key, "-I", "-o", "/dev/null", "-w", "%header{etag} %header{last-modified}")

    def write(self, key, data):
        parts = key.split("/")[:-1]
        for depth in range(len(parts)):
            self.make_folder("/".join(parts[: depth + 1]))
        subprocess.run(self._command(key, "--fail", "-o", os.devnull, "-T", "-", "-H", "Expect:"), input=data, check=True)

    def make_folder(self, key):
        """One that is there is refused, which does not matter."""
        subprocess.run(self._command(f"{key}/", "-o", os.devnull, "-X", "MKCOL"), check=True)

    def keys(self, prefix):
        """On the server's own disk, temporary names too: not every server lists its folders."""
        base = os.path.join(self.folder, prefix)
        found = [os.path.join(at, name) for at, _, names in os.walk(base) for name in names if "/.DAV" not in at]
        return sorted(os.path.relpath(path, self.folder) for path in found)


class Bucket:
    """A bucket, with the account of AWS_ACCESS_KEY_ID and so on."""

    def __init__(self, name, make=True):
        import boto3
        from botocore.config import Config

        # Checksums that older stores do not know are sent only where they are required.
        config = Config(
            s3={"addressing_style": "path"}, request_checksum_calculation="when_required",
            response_checksum_validation="when_required", retries={"max_attempts": 1})
        self.name = name
        self.client = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"], config=config)
        if make:
            self.client.create_bucket(Bucket=name)

    def place(self, key):
        return f"s3://{self.name}/{key}"

    def read(self, key):
        return self.client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def type(self, key):
        return self.client.head_object(Bucket=self.name, Key=key)["ContentType"]

    def stands(self, key):
        head = self.client.head_object(Bucket=self.name, Key=key)
        return head["ETag"], head["LastModified"]

    def write(self, key, data):
        self.client.put_object(Bucket=self.name, Key=key, Body=data)

    def keys(self, prefix):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix)
        return sorted(entry["Key"] for page in pages for entry in page.get("Contents", []))
