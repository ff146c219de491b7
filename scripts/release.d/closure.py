"""The packages that both programs need on this machine to run and to be built, without those that only tests need."""
import json
import subprocess

PROGRAMS = ("gsi", "gsi-lab")


def packages():
    """Yields cargo's description of each package, and the ids of those it needs."""
    host = next(line.split()[1] for line in subprocess.check_output(["rustc", "-vV"], text=True).splitlines() if line.startswith("host:"))
    asked = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host]
    metadata = json.loads(subprocess.check_output(asked))
    described = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [package["id"] for package in metadata["packages"] if package["name"] in PROGRAMS]
    needs = {}
    while waiting:
        package = waiting.pop()
        if package not in needs:
            kept = [d for d in nodes[package]["deps"] if any(k["kind"] != "dev" for k in d["dep_kinds"])]
            needs[package] = sorted({d["pkg"] for d in kept})
            waiting += needs[package]
    for package in sorted(needs, key=lambda p: (described[p]["name"], described[p]["version"])):
        yield described[package], needs[package]


def page_packages(lock="web/package-lock.json"):
    """Yields the packages that are bundled into the page: (name, version, licence, folder)."""
    with open(lock) as file:
        entries = json.load(file)["packages"]
    # The compiled page contains the compiler's runtime. It contains no other package that is needed only to build.
    for folder, entry in sorted(entries.items()):
        name = folder.rpartition("node_modules/")[2]
        if folder and (not entry.get("dev") or name in ("svelte", "esm-env", "clsx")):
            yield name, entry["version"], entry.get("license", "unknown"), "web/" + folder
