// Pictures are drawn in pixels but sized like the text around them, which grows on very large screens.

class Rem {
  /** Pixels of one rem over the sixteen it usually has. */
  scale = $state(1);

  constructor() {
    const read = () => (this.scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1);
    read();
    window.addEventListener("resize", read);
  }
}

export const rem = new Rem();
