import "./style/base.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { keepFocus } from "./state/focus";
import { keepPlace } from "./state/place";

const target = document.getElementById("app");
if (target) {
  mount(App, { target });
  keepFocus(target);
  keepPlace();
}
// In another site's frame there is nothing to install.
if (window.top === window && "serviceWorker" in navigator) void navigator.serviceWorker.register("/sw.js").catch(() => undefined);
