#!/usr/bin/env python3
"""image.py ROOT.tar IMAGE.tar: writes the root file system as an image of one layer."""
import datetime
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile

root, out = sys.argv[1:]
epoch, version, architecture = int(os.environ["SOURCE_DATE_EPOCH"]), os.environ["version"], os.environ["architecture"]
time = datetime.datetime.fromtimestamp(epoch, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
# Checks that the service is alive. A container that waits for its first data is not ready and must not be restarted. The shell
# opens the connection, so that the image needs no HTTP client.
HEALTH = r"exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.0\r\n\r\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"
SETTINGS = {
    "User": "10001", "WorkingDir": "/data", "Entrypoint": ["/usr/bin/gsi"], "Cmd": ["serve"], "StopSignal": "SIGTERM",
    "ExposedPorts": {"8080/tcp": {}}, "Volumes": {"/data": {}},
    "Env": ["PATH=/usr/bin:/bin", "MALLOC_MMAP_THRESHOLD_=32768", "MALLOC_ARENA_MAX=1", "GSI_LISTEN=0.0.0.0:8080", "GSI_DATA=/data",
            "GSI_LOG_FORMAT=json", "GSI_LOG_REQUESTS=stdout"],
    "Healthcheck": {"Test": ["CMD", "bash", "-c", HEALTH], "Interval": 30 * 10**9, "Timeout": 5 * 10**9, "StartPeriod": 60 * 10**9},
    "Labels": {"org.opencontainers.image.title": "gsi", "org.opencontainers.image.version": version,
               "org.opencontainers.image.licenses": "MIT OR Apache-2.0"},
}
with tarfile.open(out, "w") as image:
    def add(name, content):
        entry = tarfile.TarInfo(name)
        entry.size, entry.mtime = len(content), epoch
        image.addfile(entry, io.BytesIO(content))

    def blob(kind, content):
        digest = hashlib.sha256(content).hexdigest()
        add(f"blobs/sha256/{digest}", content)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    with open(root, "rb") as file:
        plain = file.read()
    layer = blob("layer.v1.tar+gzip", gzip.compress(plain, 6, mtime=0))
    filesystem = {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(plain).hexdigest()]}
    described = {"architecture": architecture, "os": "linux", "created": time, "config": SETTINGS, "rootfs": filesystem}
    config = blob("config.v1+json", json.dumps(described).encode())
    body = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": [layer]}
    manifest = blob("manifest.v1+json", json.dumps(body).encode())
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": f"localhost/gsi:{version}"}
    add("index.json", json.dumps({"schemaVersion": 2, "manifests": [manifest]}).encode())
    add("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
    path = {part["digest"]: part["digest"].replace("sha256:", "blobs/sha256/") for part in (config, layer)}
    add("manifest.json", json.dumps([{"Config": path[config["digest"]], "RepoTags": [f"gsi:{version}"], "Layers": [path[layer["digest"]]]}]).encode())
