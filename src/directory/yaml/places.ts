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

/** The longest path that is shown to people: a key may be as long as a document. */
export const LONGEST_PATH = 1_000;

/** The text of a map key; '' for a key that is no scalar. */
export function mapKeyText(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}

/** The offset at which a node begins; 0 for a node that was not read from text. */
export function offsetOf(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}

/** A step of a path: an index, a key in quotes, or a plain key. */
const STEP = /\[(?<index>\d+)\]|\[(?<quoted>"(?:[^"\\]|\\.)*")\]|\.?(?<plain>[^.[]+)/y;

/** Finds places in one document. However many keys and aliases it has, finding one of many takes no search. */
export class Places {
  readonly #contents: Node | null;
  readonly #targets: ReadonlyMap<Alias, Node>;
  readonly #keys = new Map<YAMLMap, ReadonlyMap<string, Pair>>();

  /** `targets` has what each alias stands for. */
  constructor(contents: Node | null, targets: ReadonlyMap<Alias, Node>) {
    this.#contents = contents;
    this.#targets = targets;
  }

  /**
   * The offset of what `path` names: a map key or a list item. Where the path leads to something that is not there,
   * such as a missing field, it is the offset of the nearest node that is.
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

/** The key that stands in quotes; undefined where it is not well formed. */
function keyIn(quoted: string | undefined): string | undefined {
  try {
    return JSON.parse(quoted ?? '') as string;
  } catch {
    return undefined;
  }
}
