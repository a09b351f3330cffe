import {
  type Alias,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';

/** The longest path that a message shows. A key may be as long as a document. */
export const LONGEST_PATH = 1_000;

/** Returns the text of a map key, or '' for a key that is not a scalar. */
export function mapKeyText(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}

/** Returns the offset at which a node begins, or 0 for a node that was not read from text. */
export function offsetOf(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Matches a step of a path: an index, a key in quotes, or a plain key. */
const STEP = /\[(?<index>\d+)\]|\[(?<quoted>"(?:[^"\\]|\\.)*")\]|\.?(?<plain>[^.[]+)/y;

/** Finds places in one document. Indexes the keys of each map once, so many lookups stay fast in large documents. */
export class Places {
  readonly #contents: Node | null;
  readonly #targets: ReadonlyMap<Alias, Node>;
  readonly #keys = new Map<YAMLMap, ReadonlyMap<string, Pair>>();

  /** `targets` maps each alias to the node that it stands for. */
  constructor(contents: Node | null, targets: ReadonlyMap<Alias, Node>) {
    this.#contents = contents;
    this.#targets = targets;
  }

  /**
   * Returns the offset of the map key or list item that `path` names. If part of the path does not exist, such as a
   * missing field, returns the offset of the nearest node that exists.
   */
  offsetOf(path: string): number {
    let node: unknown = this.#contents;
    let offset = offsetOf(node);
    STEP.lastIndex = 0;
    for (let step = STEP.exec(path); step !== null; step = STEP.exec(path)) {
      const { index, quoted, plain } = step.groups ?? {};
      const next = STEP.lastIndex;
      const found =
        index === undefined ? this.#pair(node, plain ?? keyIn(quoted)) : this.#item(node, Number(index));
      if (found === undefined) break;
      ({ offset, node } = found);
      STEP.lastIndex = next;
    }
    return offset;
  }

  #item(list: unknown, index: number): Found | undefined {
    const node = this.#real(list);
    const item = isSeq(node) ? node.items[index] : undefined;
    return item === undefined || isPair(item) ? undefined : { offset: offsetOf(item), node: item };
  }

  #pair(map: unknown, key: string | undefined): Found | undefined {
    const node = this.#real(map);
    const pair = isMap(node) && key !== undefined ? this.#keysOf(node).get(key) : undefined;
    return pair && { offset: offsetOf(pair.key), node: pair.value };
  }

  #real(node: unknown): unknown {
    return isAlias(node) ? this.#targets.get(node) : node;
  }

  #keysOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#keys.get(map);
    if (known !== undefined) return known;
    const keys = new Map(map.items.map((pair) => [mapKeyText(pair), pair]));
    this.#keys.set(map, keys);
    return keys;
  }
}

interface Found {
  readonly offset: number;
  readonly node: unknown;
}

/** Returns the key inside the quotes, or undefined if it is malformed. */
function keyIn(quoted: string | undefined): string | undefined {
  try {
    return JSON.parse(quoted ?? '') as string;
  } catch {
    return undefined;
  }
}
