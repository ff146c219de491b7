// A chart as a PNG file, made in the browser: the drawing with its colours written into it, a title above, where it comes from
// below. Nothing is sent anywhere.

/** What the page's style sheets say of a drawing, written into a copy as attributes, because a picture has no style sheet. */
const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];
/** Sharp on paper and on fine screens. */
const SCALE = 2;
const MARGIN = 16;
const TITLE = 34;
const LINE = 18;

function selfContained(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [here, there] = [[svg, ...svg.querySelectorAll<SVGElement>("*")], [copy, ...copy.querySelectorAll<SVGElement>("*")]];
  here.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of LOOKS) there[i]?.setAttribute(name, style.getPropertyValue(name));
    there[i]?.removeAttribute("class");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

function wrapped(text: string, width: number, pen: CanvasRenderingContext2D): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && pen.measureText(longer).width > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, line];
}

export async function pictureOf(svg: SVGSVGElement, title: string, source: string): Promise<Blob> {
  const { width, height } = svg.getBoundingClientRect();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(selfContained(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser draws no pictures");
  const style = getComputedStyle(document.documentElement);
  const family = style.fontFamily;
  pen.font = `12px ${family}`;
  const below = wrapped(source, width, pen);
  canvas.width = (width + 2 * MARGIN) * SCALE;
  canvas.height = (height + TITLE + 2 * MARGIN + below.length * LINE) * SCALE;
  pen.scale(SCALE, SCALE);
  // The current colours of the page, light or dark.
  const panel = svg.closest<HTMLElement>(".panel") ?? document.body;
  pen.fillStyle = getComputedStyle(panel).backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = style.color;
  pen.font = `600 17px ${family}`;
  pen.fillText(title, MARGIN, MARGIN + 14, width);
  pen.drawImage(image, MARGIN, MARGIN + TITLE, width, height);
  pen.font = `12px ${family}`;
  below.forEach((line, i) => pen.fillText(line, MARGIN, MARGIN + TITLE + height + (i + 1) * LINE));
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"));
}
