/** An answer as it was kept: its text, so that a caller may change the body it was given. */
export interface Kept {
  etag: string;
  text: string;
  headers: Headers;
}

/** Answers by address with their ETags, the least recently used dropped first. */
export class Cache {
  private readonly kept = new Map<string, Kept>();
  private length = 0;

  /** A text larger than the whole cache is not kept; the inputs of a snapshot are the largest, at a few megabytes. */
  constructor(readonly capacity = 16 * 1024 * 1024) {}

  get size(): number {
    return this.kept.size;
  }

  get(place: string): Kept | undefined {
    const found = this.kept.get(place);
    if (found !== undefined) {
      this.kept.delete(place);
      this.kept.set(place, found);
    }
    return found;
  }

  put(place: string, kept: Kept): void {
    if (kept.text.length > this.capacity) return;
    this.drop(place);
    this.kept.set(place, kept);
    this.length += kept.text.length;
    for (const oldest of this.kept.keys()) {
      if (this.length <= this.capacity) break;
      this.drop(oldest);
    }
  }

  private drop(place: string): void {
    this.length -= this.kept.get(place)?.text.length ?? 0;
    this.kept.delete(place);
  }
}
