import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** An import of a source file, as it is written. */
interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
  readonly isDynamic: boolean;
}

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort();
const TEXTS = new Map(FILES.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]));
const IMPORTS = FILES.flatMap((file) => importsOf(file, TEXTS.get(file) ?? ''));

/** Which room may import which; a room may always import itself. */
const ADAPTERS = ['models', 'mcp', 'host', 'github', 'stores'].map((name) => `adapters/${name}`);
const STEPS = ['core', 'run', 'commands'];
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  run: ['core', 'commands'],
  commands: ['core', 'run'],
  ...Object.fromEntries(ADAPTERS.map((room) => [room, ['core']])),
  composition: [...STEPS, ...ADAPTERS],
  actions: [...STEPS, ...ADAPTERS, 'composition'],
  cli: [...STEPS, ...ADAPTERS, 'composition'],
  'action.ts': ['actions'],
  'post.ts': ['actions', 'action.ts'],
  'cli.ts': ['cli'],
};

/** Programs that are started: main and post of the action, the command line. */
const ENTRIES = ['action.ts', 'post.ts', 'cli.ts'];

/** Core's folders, each importing only those before it. */
const CORE_ORDER = [
  'text',
  'sanitize',
  'event',
  'memory',
  'findings',
  'agent',
  'review',
  'prompt',
  'tools',
  'loop',
  'gc',
];

/** Core's own files that put the folders together; its other files are below all folders and import none. */
const CORE_TOP = ['dependencies.ts', 'plan-notes.ts', 'plan.ts', 'run-event.ts'];

/** Packages of the pure core; the language model's interface is only a type. */
const CORE_PACKAGES = ['smol-toml', 'valibot'];
const CORE_TYPE_PACKAGES = ['@ai-sdk/provider'];

/** The seams at which code is loaded only when a run uses it. */
const DYNAMIC = [
  './action.js',
  './actions/post.js',
  './cli/main.js',
  '@ai-sdk/amazon-bedrock',
  '@ai-sdk/anthropic/internal',
  '@ai-sdk/google',
  '@ai-sdk/openai',
  '@ai-sdk/openai-compatible',
  'aws4fetch',
  './azure.js',
  './bedrock.js',
  './offline.js',
  './demo.js',
  './gc-command.js',
  './init.js',
  './doctor.js',
  './completion.js',
  './live-status.js',
  './tools.js',
  './validate-agents.js',
  './validate-mode.js',
  './gc-mode.js',
  './memory-mode.js',
  './push-mode.js',
  './remote-memory.js',
  './hold-review.js',
  './vertex.js',
  '../commands/comment/run-command.js',
  '../composition/github-port.js',
  './publish-requested.js',
  './post-check.js',
  './publish/check-progress.js',
  './post-report.js',
  '../adapters/host/json-schema.js',
  'ajv',
  'ajv/dist/2020.js',
  '@octokit/core',
  '@actions/cache',
  '@modelcontextprotocol/sdk/client/index.js',
  '@modelcontextprotocol/sdk/client/sse.js',
  '@modelcontextprotocol/sdk/client/streamableHttp.js',
  '@modelcontextprotocol/sdk/types.js',
  'undici',
];

/** Tests that look at a whole folder instead of one file. */
const WHOLE_ROOMS = [
  'core/memory/notes/vectors.test.ts',
  'adapters/github/over-the-wire.test.ts',
  'adapters/stores/never-loses.test.ts',
];

describe('the architecture', () => {
  it('has imports to check', () => {
    expect(FILES.length).toBeGreaterThan(50);
    expect(IMPORTS.length).toBeGreaterThan(200);
  });

  it('allows imports only inward', () => {
    expect(describeAll(IMPORTS.filter((one) => isOwn(one) && !mayImport(one)))).toEqual([]);
  });

  it('uses @actions/* in one folder only', () => {
    const wrong = IMPORTS.filter(({ from, to }) => to.startsWith('@actions/') && roomOf(from) !== 'actions');
    expect(describeAll(wrong)).toEqual([]);
  });

  it('keeps the core pure', () => {
    const packages = IMPORTS.filter((one) => roomOf(one.from) === 'core' && !isOwn(one));
    const wrong = packages.filter(
      ({ to, isType }) => !CORE_PACKAGES.includes(to) && !(isType && CORE_TYPE_PACKAGES.includes(to)),
    );
    expect(describeAll(wrong)).toEqual([]);
    const impure =
      /\b(?:process\.|fetch\(|Date\.now|new Date\(\)|Math\.random|console\.|performance\.|setTimeout)/;
    expect(linesMatching('core', impure)).toEqual([]);
  });

  it('keeps the folders of the core in one order', () => {
    const own = IMPORTS.filter((one) => roomOf(one.from) === 'core' && isOwn(one));
    const wrong = own.filter((one) => heightOf(target(one)) > heightOf(one.from));
    expect(describeAll(wrong)).toEqual([]);
    expect(Math.max(...FILES.map(heightOf))).toBe(CORE_ORDER.length);
  });

  it('accesses files and processes in adapters/host only', () => {
    const wrong = IMPORTS.filter(
      ({ from, to }) => /^node:(?:fs|child_process)/.test(to) && roomOf(from) !== 'adapters/host',
    );
    expect(describeAll(wrong)).toEqual([]);
  });

  it('reads the environment in the entry points only', () => {
    const readers = FILES.filter((file) => /process\.env/.test(code(file)));
    expect(readers.filter((file) => !ENTRIES.includes(file))).toEqual([]);
  });

  it('loads modules lazily only at the listed places', () => {
    const wrong = IMPORTS.filter(({ to, isDynamic }) => isDynamic && !DYNAMIC.includes(to));
    expect(describeAll(wrong)).toEqual([]);
    const eager = IMPORTS.filter(
      ({ to, isDynamic, isType }) => !isDynamic && !isType && DYNAMIC.includes(to),
    );
    expect(describeAll(eager)).toEqual([]);
  });

  it('imports no module that is unknown before run time', () => {
    const computed = FILES.filter((file) => /\bimport\(\s*(?!['\s])/.test(code(file)));
    expect(computed).toEqual([]);
  });

  it('reads a CommonJS package behind import() by its default export, which is all that the bundle has of it', () => {
    const byName = FILES.filter((file) =>
      /const \{ (?!default:)[^}]*\} = await import\('(?:undici|ajv(?:\/[^']*)?)'\)/.test(code(file)),
    );
    expect(byName).toEqual([]);
  });

  it('loads almost nothing for a post step with nothing to save', () => {
    expect(loadedBy('post.ts')).toEqual(['actions/runner/pending-state.ts', 'post.ts']);
  });

  it('checks the kind of a report in one file of the action only', () => {
    expect(linesMatching('actions', /\breport\.kind\b/)).toEqual([
      'actions/report/reporters.ts: switch (report.kind) {',
    ]);
  });

  it('has no cycles', () => {
    expect(findCycles()).toEqual([]);
  });

  it('has no barrel files', () => {
    expect(FILES.filter((file) => /(?:^|\/)index\.ts$/.test(file))).toEqual([]);
    expect(FILES.filter((file) => /^export \* from/m.test(TEXTS.get(file) ?? ''))).toEqual([]);
  });

  it('has files of at most 400 lines', () => {
    const long = FILES.filter((file) => (TEXTS.get(file) ?? '').split('\n').length > 401);
    expect(long).toEqual([]);
  });

  it('has a doc comment on every export', () => {
    const bare = FILES.flatMap((file) => undocumented(file));
    expect(bare).toEqual([]);
  });

  it('exports what another file uses, and nothing else', () => {
    const used = new Map<string, Set<string>>();
    for (const [file, text] of [...TEXTS, ...textsBeside()]) {
      for (const { to, names } of namedImports(file, text)) {
        used.set(to, new Set([...(used.get(to) ?? []), ...names]));
      }
    }
    const unused = FILES.filter((file) => !ENTRIES.includes(file)).flatMap((file) => {
      const names = used.get(file) ?? new Set();
      return names.has('*') ? [] : exportsOf(file).filter((name) => !names.has(name));
    });
    expect(unused).toEqual([]);
  });

  it('gives a name that is exported one meaning', () => {
    const files = new Map<string, string[]>();
    for (const file of FILES) {
      for (const name of exportsOf(file)) files.set(name, [...(files.get(name) ?? []), file]);
    }
    // Each entry is called main.
    files.delete('main');
    expect([...files].filter(([, places]) => places.length > 1)).toEqual([]);
  });

  it('has the files that the benchmarks load from the compiled sources', () => {
    const bench = resolve(ROOT, 'bench');
    const loaded = readdirSync(bench, { encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .flatMap((file) => [...readFileSync(join(bench, file), 'utf8').matchAll(/'\.\.\/lib\/([^']+)\.js'/g)])
      .map(([, path]) => `${path}.ts`);
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((file) => !TEXTS.has(file))).toEqual([]);
  });

  it('is mirrored by its tests', () => {
    const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
    const mirrored = tests.filter((file) =>
      /^(?:core|run|commands|adapters|composition|actions|cli)\/.*\.test\.ts$/.test(file),
    );
    const strays = mirrored.filter(
      (file) => !TEXTS.has(file.replace(/(?:\.[a-z-]+)?\.test\.ts$/, '.ts')) && !WHOLE_ROOMS.includes(file),
    );
    expect(strays).toEqual([]);
  });
});

/** The names that a file exports, by their declarations. */
function exportsOf(file: string): string[] {
  const declarations = (TEXTS.get(file) ?? '').matchAll(
    /^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm,
  );
  return [...declarations].map(([, name = '']) => name);
}

/** What else imports from `src/`, as paths from there: tests, benchmarks (of the compiled files), scripts, the evaluation. */
function textsBeside(): [string, string][] {
  return ['__tests__', 'bench', 'eval', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.[jt]s$/.test(file) && !/^(?:cases|fixtures|recorded)\//.test(file))
      .map((file): [string, string] => {
        const path = join(ROOT, folder, file);
        return [relative(SRC, path), readFileSync(path, 'utf8')];
      }),
  );
}

/** Which names a file takes from which file of `src/`; `*` for all that a dynamic import or a benchmark may use. */
function namedImports(
  file: string,
  text: string,
): { readonly to: string; readonly names: readonly string[] }[] {
  const target = (to: string) =>
    relative(SRC, resolve(SRC, dirname(file), to))
      .replace('../lib/', '')
      .replace(/\.js$/, '.ts');
  const named = [...text.matchAll(/(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/g)].map(
    ([, names = '', to = '']) => ({
      to: target(to),
      names: names.split(',').map((name) => /(\w+)(?: as \w+)?\s*$/.exec(name.trim())?.[1] ?? ''),
    }),
  );
  const whole = [...text.matchAll(/(?:import\(\s*|\* as \w+ from |'(?=\.\.\/lib\/))'?(\.[^']+)'/g)].map(
    ([, to = '']) => ({ to: target(to), names: ['*'] }),
  );
  return [...named, ...whole];
}

function importsOf(from: string, text: string): Import[] {
  const found: Import[] = [];
  for (const [statement, to = ''] of text.matchAll(/^(?:import|export)\s[^;]*?from '([^']+)';/gm)) {
    found.push({ from, to, isType: /^(?:import|export) type/.test(statement), isDynamic: false });
  }
  for (const [, to = ''] of text.matchAll(/\bimport\('([^']+)'\)/g)) {
    const isType = new RegExp(`typeof import\\('${to.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}'\\)`).test(text);
    const isLoaded = new RegExp(
      `(?<!typeof )import\\('${to.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}'\\)`,
    ).test(text);
    if (isLoaded) found.push({ from, to, isType: false, isDynamic: true });
    else if (isType) found.push({ from, to, isType: true, isDynamic: false });
  }
  return found;
}

function isOwn({ to }: Import): boolean {
  return to.startsWith('.');
}

/** The source file an own import names. */
function target({ from, to }: Import): string {
  return relative(SRC, resolve(SRC, dirname(from), to)).replace(/\.js$/, '.ts');
}

/** The folder of `src/` that a file is in; adapters are a room each. */
function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'adapters' ? `${first}/${second}` : first;
}

/** How far up a file of the core is: its folder's place in the order, from 0. */
function heightOf(file: string): number {
  const [room, folder = '', ...rest] = file.split('/');
  if (room !== 'core') return -1;
  if (rest.length > 0) return CORE_ORDER.indexOf(folder);
  return CORE_TOP.includes(folder) ? CORE_ORDER.length : -1;
}

function mayImport(one: Import): boolean {
  const from = roomOf(one.from);
  const to = roomOf(target(one));
  return from === to || (MAY_IMPORT[from]?.includes(to) ?? false);
}

/** Every import that a program makes before its first line runs: files of ours, and packages. */
function loadedBy(entry: string): string[] {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const one of IMPORTS) {
      if (one.from === file && !one.isType && !one.isDynamic) visit(isOwn(one) ? target(one) : one.to);
    }
  };
  visit(entry);
  return [...loaded].sort();
}

function describeAll(imports: readonly Import[]): string[] {
  return imports.map(({ from, to }) => `${from} imports ${to}`);
}

/** A file's text without comments. */
function code(file: string): string {
  return (TEXTS.get(file) ?? '').replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

function linesMatching(room: string, pattern: RegExp): string[] {
  return FILES.filter((file) => roomOf(file) === room).flatMap((file) =>
    code(file)
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
}

/** Cycles of imports, of types too, each named once by its members. */
function findCycles(): string[] {
  const edges = new Map<string, string[]>();
  for (const one of IMPORTS) {
    if (!isOwn(one)) continue;
    edges.set(one.from, [...(edges.get(one.from) ?? []), target(one)]);
  }
  const cycles = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      cycles.add([...path.slice(start)].sort().join(' ↔ '));
      return;
    }
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of FILES) visit(file, []);
  return [...cycles];
}

function undocumented(file: string): string[] {
  const lines = (TEXTS.get(file) ?? '').split('\n');
  return lines.flatMap((line, index) => {
    if (!/^export (?:async )?(?:function|class|const|interface|type) /.test(line)) return [];
    return /\*\/\s*$/.test(lines[index - 1] ?? '') ? [] : [`${file}:${index + 1} ${line.slice(0, 60)}`];
  });
}
