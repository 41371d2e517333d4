/** A line of a file, with the faults in it: what a good model finds there. */
export interface Line {
  readonly text: string;
  readonly faults: readonly string[];
}

/** A fault, and the line that it is on. */
export interface Spot {
  readonly fault: string;
  readonly path: string;
  readonly line: number;
  readonly code: string;
}

type Files = ReadonlyMap<string, readonly Line[]>;
type Texts = ReadonlyMap<string, readonly string[]>;

const textsOf = (files: Files): Texts =>
  new Map([...files].map(([path, lines]) => [path, lines.map(({ text }) => text)]));

/** Short lines do not say which line they are. */
const SHORT_LINE = 4;

/** Faults on one line. */
const MOST_ON_A_LINE = 2;

function baseFile(name: string): readonly string[] {
  return Array.from({ length: 6 }, (_, index) =>
    index === SHORT_LINE ? '}' : `const ${name}_${index} = load(key_${index}, ${name})`,
  );
}

export function pick<Item>(items: readonly Item[], number: number): Item | undefined {
  return items.length === 0 ? undefined : items[number % items.length];
}

/** A way in which the author, or the base, changes the code. `n` and `m` choose place and words. */
type Push = (code: Code, n: number, m: number) => void;

/** The code of a pull request: what it is based on, what it is now, and what it was. */
export class Code {
  base = new Map(['a', 'b'].map((name) => [`${name}.ts`, baseFile(name)]));
  files: Map<string, readonly Line[]>;
  /** The path in the base of a file that was moved. */
  readonly formerPaths = new Map<string, string>();
  /** Files whose mode has changed. */
  readonly executable = new Set<string>();
  readonly #before: Files[] = [];
  readonly #texts = new Map<string, Texts>();
  /** Patches of the newest commit, by path. */
  readonly #patches = new Map<string, string>();
  #standing: readonly Spot[] | undefined;
  #diff: string | undefined;
  #number = 0;
  #faults = 0;
  /** The commits since which the branch was not rewritten. */
  #ancestors = new Set<string>();

  constructor() {
    this.files = new Map(
      [...this.base].map(([path, texts]) => [path, texts.map((text) => ({ text, faults: [] }))]),
    );
    this.addFault(0, 1);
    this.addFault(1, SHORT_LINE);
    this.#commit();
  }

  get head(): string {
    return `${this.#number}`.padStart(40, '0');
  }

  get number(): number {
    return this.#number;
  }

  paths(): readonly string[] {
    return [...this.files.keys()].sort();
  }

  /** The files as they were at a commit. */
  at(head: string): Texts {
    return this.#texts.get(head) ?? new Map();
  }

  /** All faults in files that the pull request changes. */
  standing(): readonly Spot[] {
    this.#standing ??= this.#findFaults();
    return this.#standing;
  }

  #findFaults(): readonly Spot[] {
    return this.paths().flatMap((path) =>
      this.isInChange(path)
        ? (this.files.get(path) ?? []).flatMap(({ text, faults }, index) =>
            faults.map((fault) => ({ fault, path, line: index + 1, code: text })),
          )
        : [],
    );
  }

  stands(fault: string | undefined): boolean {
    return this.standing().some((spot) => spot.fault === fault);
  }

  /** Of the newest commit. */
  isInChange(path: string): boolean {
    return this.#patch(path) !== '';
  }

  /** Carries a push out by its name. */
  push(name: PushName, n: number, m: number): void {
    if (REWRITES.has(name)) this.#ancestors.clear();
    this.#change(() => PUSHES[name](this, n, m));
  }

  /** Somebody commits what a comment offers; it can be wrong. */
  commitSuggestion(
    { path, line, code }: Omit<Spot, 'fault'>,
    isRight: boolean,
    text: string,
  ): void {
    const before = this.files.get(path)?.[line - 1];
    if (before?.text !== code) return;
    const faults = isRight ? [] : before.faults;
    this.#change(() => this.splice(path, line - 1, 1, { text, faults }));
  }

  #change(work: () => void): void {
    this.#before.push(new Map(this.files));
    work();
    this.#number += 1;
    this.#patches.clear();
    this.#standing = undefined;
    this.#diff = undefined;
    this.#commit();
  }

  #commit(): void {
    this.#texts.set(this.head, textsOf(this.files));
    this.#ancestors.add(this.head);
  }

  set(path: string, lines: readonly Line[]): void {
    this.files.set(path, lines);
  }

  /** Replaces lines from an index on. */
  splice(path: string, index: number, removed: number, ...added: readonly Line[]): void {
    this.set(path, (this.files.get(path) ?? []).toSpliced(index, removed, ...added));
  }

  /** A new fault on a line that is there. */
  addFault(n: number, m: number): void {
    const path = pick(this.paths(), n) ?? '';
    const lines = this.files.get(path) ?? [];
    const faulty = lines.findIndex(({ faults }) => faults.length + 1 === MOST_ON_A_LINE);
    const index = m % 3 === 0 && faulty >= 0 ? faulty : m % Math.max(1, lines.length);
    const line = lines[index];
    if (line === undefined || line.faults.length === MOST_ON_A_LINE) return;
    this.#faults += 1;
    const fault = `B${this.#faults}`;
    const text =
      line.text.length < 5 ? `}${';'.repeat(this.#faults % 4)}` : `${line.text} + x${this.#faults}`;
    this.splice(path, index, 1, { text, faults: [...line.faults, fault] });
  }

  /** A fault that is nowhere now. */
  goneFault(n: number): string | undefined {
    const all = Array.from({ length: this.#faults }, (_, index) => `B${index + 1}`);
    const lines = [...this.files.values()].flat();
    return pick(
      all.filter((fault) => !lines.some(({ faults }) => faults.includes(fault))),
      n,
    );
  }

  /** The files before the newest push; undefined if other files are there now. */
  lastFiles(): Files | undefined {
    const last = this.#before.at(-2);
    const isSame = last !== undefined && [...last.keys()].every((path) => this.files.has(path));
    return isSame ? last : undefined;
  }

  /** Lines of before, without the faults that are somewhere else now. */
  again(path: string, lines: readonly Line[]): readonly Line[] {
    const others = [...this.files].flatMap(([other, there]) => (other === path ? [] : there));
    const elsewhere = new Set(others.flatMap(({ faults }) => faults));
    return lines.map(({ text, faults }) => ({
      text,
      faults: faults.filter((fault) => !elsewhere.has(fault)),
    }));
  }

  removedFile(n: number): readonly [string, readonly Line[]] | undefined {
    const all = new Map(this.#before.flatMap((files) => [...files]));
    const moved = new Set(this.formerPaths.values());
    return pick(
      [...all].filter(([path]) => !this.files.has(path) && !moved.has(path)),
      n,
    );
  }

  /** The diff of the pull request, with whole files, so that every line can be spoken about. */
  diff(): string {
    this.#diff ??= joined([...this.paths(), ...this.#deleted()].map((path) => this.#patch(path)));
    return this.#diff;
  }

  /** What was pushed since a commit; undefined if the branch was rewritten. */
  diffSince(head: string): string | undefined {
    const before = this.#texts.get(head);
    if (before === undefined || !this.#ancestors.has(head)) return undefined;
    const paths = new Set([...this.files.keys(), ...before.keys()]);
    return joined(
      [...paths].sort().map((path) => patchOf(path, path, [before.get(path), this.#text(path)])),
    );
  }

  #deleted(): readonly string[] {
    const moved = new Set(this.formerPaths.values());
    return [...this.base.keys()].filter((path) => !this.files.has(path) && !moved.has(path));
  }

  #text(path: string): readonly string[] | undefined {
    return this.files.get(path)?.map(({ text }) => text);
  }

  #patch(path: string): string {
    const known = this.#patches.get(path);
    if (known !== undefined) return known;
    const former = this.formerPaths.get(path) ?? path;
    const changed = patchOf(former, path, [this.base.get(former), this.#text(path)]);
    const isMode = changed === '' && this.executable.has(path);
    const mode = `diff --git a/${path} b/${path}\nold mode 100644\nnew mode 100755`;
    const patch = isMode ? mode : changed;
    this.#patches.set(path, patch);
    return patch;
  }
}

const joined = (patches: readonly string[]) => {
  const some = patches.filter((patch) => patch !== '');
  return some.length === 0 ? '' : `${some.join('\n')}\n`;
};

/** Git's patch of a file; empty if nothing has changed. */
function patchOf(
  oldPath: string,
  path: string,
  [before, after]: readonly [readonly string[] | undefined, readonly string[] | undefined],
): string {
  const isMoved = oldPath !== path && before !== undefined;
  const rows = rowsOf(before ?? [], after ?? []);
  const isChanged = rows.some((row) => !row.startsWith(' '));
  if (!isChanged && !isMoved) return '';
  const moved = isMoved ? [`rename from ${oldPath}`, `rename to ${path}`] : [];
  const head = [`diff --git a/${isMoved ? oldPath : path} b/${path}`, ...moved];
  if (!isChanged) return [head[0], 'similarity index 100%', ...moved].join('\n');
  const range = (lines: readonly string[] | undefined) =>
    lines === undefined || lines.length === 0 ? '0,0' : `1,${lines.length}`;
  return [
    ...head,
    `--- ${before === undefined ? '/dev/null' : `a/${oldPath}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${path}`}`,
    `@@ -${range(before)} +${range(after)} @@`,
    ...rows,
  ].join('\n');
}

/** Lines that are in both stay in their order; this finds some of the longest such list, fast. */
function rowsOf(before: readonly string[], after: readonly string[]): readonly string[] {
  const rows: string[] = [];
  let next = 0;
  for (const text of after) {
    const index = before.indexOf(text, next);
    const isFar = index > next + 3;
    if (index < 0 || isFar) rows.push(`+${text}`);
    else {
      rows.push(...before.slice(next, index).map((line) => `-${line}`), ` ${text}`);
      next = index + 1;
    }
  }
  return [...rows, ...before.slice(next).map((line) => `-${line}`)];
}

const plain = (text: string): Line => ({ text, faults: [] });

/** The line of a fault, to be changed. */
function target(code: Code, n: number) {
  const spot = pick(code.standing(), n);
  const line = spot && code.files.get(spot.path)?.[spot.line - 1];
  return spot === undefined || line === undefined
    ? undefined
    : { ...spot, index: spot.line - 1, faults: line.faults };
}

const PUSHES = {
  /** Nothing changes but the commit. */
  rebase: () => undefined,
  squash: () => undefined,
  /** The base has changed, and was merged. */
  mergeBase(code, n, m) {
    const path = pick([...code.base.keys()], n) ?? '';
    const text = `const based_${code.number} = plain(${m}, y)`;
    code.base.set(path, [text, ...(code.base.get(path) ?? [])]);
    const now = code.paths().find((each) => (code.formerPaths.get(each) ?? each) === path);
    if (now !== undefined) code.splice(now, 0, 0, plain(text));
  },
  fix(code, n) {
    const spot = target(code, n);
    if (spot === undefined) return;
    const isShort = spot.code.length < 5;
    const text = isShort ? `} else { ok_${code.number}(a, b) }` : `${spot.code} // ok`;
    code.splice(spot.path, spot.index, 1, plain(text));
  },
  /** The fault is gone, and its line is as it was. */
  guard(code, n, m) {
    const spot = target(code, n);
    if (spot === undefined) return;
    code.splice(spot.path, spot.index, 1, plain(spot.code));
    code.splice(spot.path, 0, 0, plain(`if (guard_${code.number}) return early(${m})`));
  },
  cut(code, n) {
    const spot = target(code, n);
    if (spot !== undefined) code.splice(spot.path, spot.index, 1);
  },
  /** The file of a fault is again what it is in the base. */
  restoreFile(code, n) {
    const path = pick(code.standing(), n)?.path ?? '';
    const texts = code.base.get(path);
    if (texts !== undefined) code.set(path, texts.map(plain));
  },
  chmod(code, n) {
    code.executable.add(pick(code.paths(), n) ?? '');
  },
  /** Other words for the same fault. */
  touch(code, n, m) {
    const spot = target(code, n);
    if (spot === undefined) return;
    const text = spot.code.replace(/^(\W*\w*)/, `$1 v${code.number} w${m}`);
    code.splice(spot.path, spot.index, 1, { text, faults: spot.faults });
  },
  move(code, n, m) {
    const spot = target(code, n);
    if (spot === undefined) return;
    const { text, faults } = { text: spot.code, faults: spot.faults };
    code.splice(spot.path, spot.index, 1);
    const length = code.files.get(spot.path)?.length ?? 0;
    code.splice(spot.path, m % (length + 1), 0, { text, faults });
  },
  insert(code, n, m) {
    const path = pick(code.paths(), n);
    if (path !== undefined)
      code.splice(path, 0, 0, plain(`const added_${code.number} = plain(${m}, x)`));
  },
  fault: (code, n, m) => code.addFault(n, m),
  addFile(code, n, m) {
    const path = `n${code.number}.ts`;
    code.set(path, [plain(`import ${path.slice(0, -3)} from "module"`), plain(`run(all, ${n})`)]);
    code.addFault(code.paths().indexOf(path), m);
  },
  rename(code, n) {
    const path = pick(code.paths(), n);
    if (path === undefined) return;
    const to = `r${code.number}.ts`;
    code.set(to, code.files.get(path) ?? []);
    code.files.delete(path);
    const former = code.formerPaths.get(path) ?? path;
    code.formerPaths.delete(path);
    if (code.base.has(former)) code.formerPaths.set(to, former);
  },
  delete(code, n) {
    const path = pick(code.paths(), n);
    if (path === undefined || code.files.size < 2) return;
    code.files.delete(path);
    code.formerPaths.delete(path);
  },
  bringBack(code, n) {
    const removed = code.removedFile(n);
    if (removed === undefined) return;
    const [path, lines] = removed;
    code.set(path, code.again(path, lines));
  },
  revert(code) {
    for (const [path, lines] of code.lastFiles() ?? []) code.set(path, code.again(path, lines));
  },
  /** A fault that was gone is back on another line. */
  reword(code, n, m) {
    const fault = code.goneFault(n);
    const path = pick(code.paths(), m);
    if (fault === undefined || path === undefined) return;
    const text = `again_${code.number} = other(words_${n}, ${m})`;
    code.splice(path, code.files.get(path)?.length ?? 0, 0, { text, faults: [fault] });
  },
  /** Another base, which has a file as it is here, or has it as it was. */
  retarget(code, n) {
    const path = pick(code.paths(), n) ?? '';
    const former = code.formerPaths.get(path) ?? path;
    const original = /^[ab]\.ts$/.test(former) ? baseFile(former.charAt(0)) : undefined;
    const isIn = code.isInChange(path);
    const texts = (code.files.get(path) ?? []).map(({ text }) => text);
    if (!isIn && original === undefined) code.base.delete(former);
    else code.base.set(former, isIn ? texts : (original ?? []));
    if (isIn && former !== path) {
      code.base.delete(former);
      code.base.set(path, texts);
      code.formerPaths.delete(path);
    }
  },
} satisfies Readonly<Record<string, Push>>;

export type PushName = keyof typeof PUSHES;

export const PUSH_NAMES = Object.keys(PUSHES) as readonly PushName[];

/** After these the commits before are none of the branch. */
const REWRITES: ReadonlySet<string> = new Set(['rebase', 'squash', 'mergeBase', 'retarget']);
