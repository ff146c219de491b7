// The API reference, drawn from the service's own contract.

import "./style/base.css";
import "./style/docs.css";
import { mount } from "svelte";
import Reference from "./reference/Reference.svelte";
import type { Contract } from "./reference/contract";
import "./state/theme.svelte";

const target = document.getElementById("docs");

async function start(target: HTMLElement): Promise<void> {
  target.textContent = "Loading the reference…";
  const contract = (await (await fetch("/openapi.json")).json()) as Contract;
  target.replaceChildren();
  mount(Reference, { target, props: { contract } });
}

if (target) {
  start(target).catch(() => {
    target.textContent = "The reference could not be loaded. The contract itself is /openapi.json.";
  });
}
