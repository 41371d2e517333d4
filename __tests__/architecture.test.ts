import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
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
const ARCHITECTURE = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort();
const TEXTS = new Map(FILES.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]));
const IMPORTS = FILES.flatMap((file) => importsOf(file, TEXTS.get(file) ?? ''));

/** The rooms, lowest first: each imports from those before it, and from no other. */
const ROOMS = [
  'lib',
  'safety',
  'event',
  'github',
  'memory',
  'findings',
  'agent',
  'prompt',
  'tools',
  'loop',
  'model',
  'run',
  'runner',
  'publish',
  'report',
  'action',
  'cli',
];

/**
 * The parts of a room, files and folders, lowest first. The parts of one line import nothing from
 * each other.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  findings: [
    'finding.ts',
    'checks.ts',
    'check-rows.ts',
    'kept-finding.ts',
    'state-facts.ts',
    'known-finding.ts change',
    'comment-parts.ts',
    'buffered-publications.ts',
    'decide',
    'read',
    'post',
    'publication-buffer.ts',
  ],
  github: ['client', 'reading', 'posting'],
  memory: [
    'citations.ts run-log.ts',
    'note-edit.ts',
    'state.ts',
    'paths.ts units.ts',
    'recall.ts',
    'change.ts',
    'store.ts',
    'notes',
    'stores',
  ],
  run: [
    'agents.ts built-in-tools.ts fix-tests.ts gc-result.ts memory-commands review-plan.ts subject.ts',
    'records.ts',
    'github.ts outbound.ts review-duty.ts views',
    'dependencies.ts',
    'conversation.ts masked-inputs.ts run-tests-again.ts save.ts tools.ts',
    'demonstrate.ts notes.ts',
    'cite.ts memory.ts',
    'admit.ts',
    'choose-task.ts earlier-reviews.ts',
    'hidden-places.ts plan.ts settle-findings.ts',
    'agent-checks.ts publish.ts restore.ts',
    'commands sub-agents.ts validate.ts',
    'conversation-tools.ts gc',
    'hold-conversation.ts',
    'passes.ts',
    'verify.ts',
    'ask-checks.ts show-finding.ts',
    'converse.ts',
    'run.ts',
  ],
  tools: [
    'tool.ts',
    'grants.ts call-agent.ts',
    'process',
    'workspace',
    'files',
    'findings',
    'github',
    'mcp memory web',
  ],
};

/**
 * Who touches files, programs and the network: a folder, or the beginning of a file's name.
 * `agent/read-` reads agents from the disk, or those of a commit from GitHub.
 */
const SIDE_EFFECTS = ['github/', 'model/', 'memory/stores/', 'tools/', 'agent/read-', 'lib/'];

/** Who imports `@actions/*`: the runner's side, and the two clients that come from there. */
const TOOLKIT = [
  'action.ts',
  'post.ts',
  'action/',
  'runner/',
  'publish/',
  'report/',
  'github/client/client.ts',
  'memory/stores/cache/',
];

/**
 * Programs that are started: main and post of the action, the command line; `index.ts` is the
 * bundle's door to them.
 */
const ENTRIES = ['index.ts', 'action.ts', 'post.ts', 'cli.ts'];

/** Entries that load nothing but the program that they start, and one that it often spares. */
const DOORS = ['action.ts', 'post.ts', 'cli.ts', 'action/post.ts'];

/**
 * Our own files that are loaded only when a run uses them: commands other than `run`, tools, GitHub
 * for the command line, models behind a cloud's login, commands in comments, and what only reviews
 * need.
 */
const LAZY = [
  'cli/agents.ts',
  'cli/demo.ts',
  'cli/doctor.ts',
  'cli/gc-command.ts',
  'cli/init.ts',
  'cli/memory.ts',
  'model/azure.ts',
  'model/bedrock.ts',
  'model/offline.ts',
  'model/vertex.ts',
  'run/ask-checks.ts',
  'run/built-in-tools.ts',
  'run/commands/run-command.ts',
  'run/demonstrate.ts',
  'run/fix-tests.ts',
  'run/github.ts',
  'run/passes.ts',
  'run/run-tests-again.ts',
  'run/show-finding.ts',
  'run/verify.ts',
  'runner/workflow/read-workflows.ts',
  'tools/github/commit-files.ts',
  'tools/github/reader.ts',
  'tools/mcp/connect.ts',
  'tools/mcp/server.ts',
  'tools/memory/facts-tool.ts',
  'tools/memory/memory-tools.ts',
  'tools/process/process-jail.ts',
  'tools/process/test-bench.ts',
  'tools/process/throw-away-run.ts',
];

/** Packages that are loaded only when a run uses them. */
const LAZY_PACKAGES = [
  '@actions/cache',
  '@actions/github',
  '@ai-sdk/amazon-bedrock',
  '@ai-sdk/anthropic/internal',
  '@ai-sdk/google',
  '@ai-sdk/openai',
  '@ai-sdk/openai-compatible',
  'ajv',
  'ajv/dist/2020.js',
  'aws4fetch',
  '@modelcontextprotocol/client',
  'parse5',
];

/** The fields of hidden lines that a file reads, each once. */
function markFieldsRead(text: string): readonly string[] {
  const taken = [...text.matchAll(/const \{([^}]*)\} = readOwnMark\(/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim().replace(/:.*/, '')),
  );
  const named = [...text.matchAll(/readOwnMark\([\w.]+\)\['(\w+)'\]/g)].map(
    ([, name = '']) => name,
  );
  const asked = [...text.matchAll(/'(\w+)' in readOwnMark\(/g)].map(([, name = '']) => name);
  return [...new Set([...taken, ...named, ...asked])].sort();
}

describe('the architecture', () => {
  it('has imports to check', () => {
    expect(FILES.length).toBeGreaterThan(50);
    expect(IMPORTS.length).toBeGreaterThan(200);
  });

  it('names every room in the order', () => {
    const rooms = new Set(FILES.map(roomOf).filter((room) => room !== ''));
    expect([...rooms].sort()).toEqual([...ROOMS].sort());
  });

  it('imports only from rooms before', () => {
    const wrong = IMPORTS.filter((each) => isOwn(each) && !mayImport(each));
    expect(describeAll(wrong)).toEqual([]);
  });

  it.each(Object.keys(PARTS))('imports inside %s only from parts before', (room) => {
    const parts = (PARTS[room] ?? []).map((line) => line.split(' '));
    const existing = new Set(FILES.filter((file) => roomOf(file) === room).map(partOf));
    expect(parts.flat().sort()).toEqual([...existing].sort());

    const heightOf = (file: string) => parts.findIndex((line) => line.includes(partOf(file)));
    const wrong = IMPORTS.filter((each) => {
      if (!isOwn(each) || roomOf(each.from) !== room || roomOf(target(each)) !== room) return false;
      return (
        partOf(each.from) !== partOf(target(each)) && heightOf(each.from) <= heightOf(target(each))
      );
    });
    expect(describeAll(wrong)).toEqual([]);
  });

  it('uses @actions/* where the runner is met', () => {
    const wrong = IMPORTS.filter(
      ({ from, to }) => to.startsWith('@actions/') && !isAmong(TOOLKIT, from),
    );
    expect(describeAll(wrong)).toEqual([]);
  });

  it('accesses files and programs where the name says so', () => {
    const wrong = IMPORTS.filter(
      ({ from, to }) => /^node:(?:fs|child_process)/.test(to) && !isAmong(SIDE_EFFECTS, from),
    );
    expect(describeAll(wrong)).toEqual([]);
  });

  it('reads the environment in the entry points only', () => {
    const readers = FILES.filter((file) => /process\.env/.test(code(file)));
    expect(readers).toEqual(['action/main.ts', 'cli.ts', 'post.ts', 'runner/runner.ts']);
  });

  it('loads modules lazily only at the listed places', () => {
    const lazy = new Set([...DOORS, ...LAZY, ...LAZY_PACKAGES]);
    const nameOf = (each: Import) => (isOwn(each) ? target(each) : each.to);
    const loaded = new Set(IMPORTS.filter(({ isDynamic }) => isDynamic).map(nameOf));
    expect([...loaded].sort()).toEqual([...lazy].sort());
  });

  it('loads for a run on the command line none of what is loaded lazily', () => {
    const loaded = loadedBy('cli.ts');
    expect(loaded).toContain('run/run.ts');
    expect([...LAZY, ...LAZY_PACKAGES].filter((name) => loaded.includes(name))).toEqual([]);
  });

  it('loads undici by its modules, behind one door', () => {
    const wrong = IMPORTS.filter(
      ({ from, to, isType }) => /^undici\b/.test(to) && !isType && from !== 'lib/net/undici.ts',
    );
    expect(describeAll(wrong)).toEqual([]);
    expect(loadedBy('cli.ts')).not.toContain('undici');
  });

  it('imports no module that is unknown before run time', () => {
    const computed = FILES.filter((file) => /\bimport\(\s*(?!['\s])/.test(code(file)));
    expect(computed).toEqual([]);
  });

  it('loads almost nothing for a post step with nothing to save', () => {
    expect(loadedBy('post.ts')).toEqual(['post.ts', 'runner/runner.ts']);
  });

  it('has no cycles', () => {
    expect(findCycles()).toEqual([]);
  });

  it('has no file of more than 600 lines', () => {
    const long = FILES.filter((file) => (TEXTS.get(file) ?? '').split('\n').length > 601);
    expect(long).toEqual([]);
  });

  it('is drawn with every room and every folder below one', () => {
    const drawing = ARCHITECTURE.split('```')[3] ?? '';
    const folders = FILES.map((file) => dirname(file)).filter((folder) => folder !== '.');
    const missing = [...new Set(folders)].filter(
      (folder) => !new RegExp(`[ (]${basename(folder)}/`).test(drawing),
    );
    expect(missing).toEqual([]);
  });

  it('is described with files that exist', () => {
    const paths = [...ARCHITECTURE.matchAll(/`((?:[a-z-]+\/)+[a-z-]+\.ts)`/g)].map(
      ([, path]) => path,
    );
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path = '') => !FILES.includes(path))).toEqual([]);
  });

  it('compares texts with secrets in safety/redact.ts alone', () => {
    const comparison =
      /\b(?:secrets|secrets\.values)\.(?:some|every|find\w*|includes|indexOf|map|flatMap|forEach|reduce)\(|\bof (?:secrets|secrets\.values)\b|\.(?:includes|indexOf|startsWith|endsWith|split|replace|replaceAll|search|match)\(secret\b/;
    const comparing = [...TEXTS].flatMap(([file, text]) => (comparison.test(text) ? [file] : []));
    expect(comparing).toEqual(['safety/redact.ts']);
  });

  it('reads what a text of ours says of findings in findings/kept-finding.ts alone', () => {
    const readers = FILES.flatMap((file) => {
      const fields = markFieldsRead(TEXTS.get(file) ?? '');
      return fields.length === 0 ? [] : [`${file}: ${fields.join(' ')}`];
    });
    expect(readers).toEqual([
      'findings/kept-finding.ts: id kind record rev says',
      'findings/post/conversations.ts: asks',
      'findings/state-facts.ts: agent head kind',
      'github/reading/fetch-context.ts: kind',
      'run/commands/findings.ts: agent',
    ]);
  });

  it('reads the report of a run for its record alone: every view is made of the record', () => {
    const live = ['FinishedRun', 'RunReport', 'Plan', 'Memory', 'MemoryStore', 'AxeError'];
    const readers = FILES.filter((file) => {
      const names = namedImports(file, TEXTS.get(file) ?? '').flatMap((each) => each.names);
      return file.startsWith('report/') && names.some((name) => live.includes(name));
    });
    expect(readers).toEqual(['report/conclusion.ts', 'report/record-run.ts']);
  });

  it('exports what another file uses, and nothing else', () => {
    const used = usedNames([...TEXTS, ...textsBeside()]);
    expect(exportsOutside(used)).toEqual([]);
  });

  it('marks exports that only tests use as internal', () => {
    const used = usedNames(
      [...TEXTS, ...textsBeside()].filter(([file]) => !file.startsWith('../__tests__/')),
    );
    const isMarked = ([file, name]: readonly [string, string]) =>
      new RegExp(`@internal(?: \\*/|\\n \\*/)\\n(?://.*\\n)*export [^\\n]*\\b${name}\\b`).test(
        TEXTS.get(file) ?? '',
      );
    expect(exportsOutside(used).filter((each) => !isMarked(each))).toEqual([]);
  });

  it('gives a name that is exported one meaning', () => {
    const files = new Map<string, string[]>();
    for (const file of FILES.filter((one) => !ENTRIES.includes(one))) {
      for (const name of exportsOf(file)) files.set(name, [...(files.get(name) ?? []), file]);
    }
    // The action and the command line each have one.
    files.delete('main');
    expect([...files].filter(([, places]) => places.length > 1)).toEqual([]);
  });
});

/** Names by the file of `src/` that they are imported from, `*` where any could be. */
function usedNames(texts: Iterable<readonly [string, string]>): ReadonlyMap<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  for (const [file, text] of texts) {
    for (const { to, names } of namedImports(file, text)) {
      used.set(to, new Set([...(used.get(to) ?? []), ...names]));
    }
  }
  return used;
}

/** File and name of each export that is not among the used ones. */
function exportsOutside(used: ReadonlyMap<string, Set<string>>): (readonly [string, string])[] {
  return FILES.filter((file) => !ENTRIES.includes(file)).flatMap((file) => {
    const names = used.get(file) ?? new Set();
    if (names.has('*')) return [];
    return exportsOf(file)
      .filter((name) => !names.has(name))
      .map((name) => [file, name] as const);
  });
}

/** The names that a file exports, by their declarations. */
function exportsOf(file: string): string[] {
  const declarations = (TEXTS.get(file) ?? '').matchAll(
    /^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm,
  );
  return [...declarations].map(([, name = '']) => name);
}

/**
 * What else imports from `src/`, as paths from there: tests, benchmarks, scripts, the evaluation.
 */
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

/**
 * Which names a file takes from which file of `src/`; `*` for all that a dynamic import may use.
 */
function namedImports(
  file: string,
  text: string,
): { readonly to: string; readonly names: readonly string[] }[] {
  const target = (to: string) =>
    relative(SRC, resolve(SRC, dirname(file), to))
      .replace('../lib/', '')
      .replace(/\.js$/, '.ts');
  const named = [
    ...text.matchAll(/(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/g),
  ].map(([, names = '', to = '']) => ({
    to: target(to),
    names: names.split(',').map((name) => /(\w+)(?: as \w+)?\s*$/.exec(name.trim())?.[1] ?? ''),
  }));
  const whole = [
    ...text.matchAll(/(?:import\(\s*|\* as \w+ from |'(?=\.\.\/lib\/))'?(\.[^']+)'/g),
  ].map(([, to = '']) => ({ to: target(to), names: ['*'] }));
  // A script has a module bundled before it takes its names.
  const bundled = [...text.matchAll(/\{([^}]*)\} = await load\('src\/([^']+)'\)/g)].map(
    ([, names = '', to = '']) => ({ to, names: names.split(',').map((name) => name.trim()) }),
  );
  return [...named, ...whole, ...bundled];
}

function importsOf(from: string, text: string): Import[] {
  const found: Import[] = [];
  for (const [statement, to = ''] of text.matchAll(/^(?:import|export)\s[^;]*?from '([^']+)';/gm)) {
    found.push({ from, to, isType: /^(?:import|export) type/.test(statement), isDynamic: false });
  }
  for (const [, to = ''] of text.matchAll(/\bimport\('([^']+)'\)/g)) {
    const isType = new RegExp(
      `typeof import\\('${to.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}'\\)`,
    ).test(text);
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

/** The folder of `src/` that a file is in; none for the entries. */
function roomOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '';
}

/** The file or folder directly in its room that a file is, or is in. */
function partOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function mayImport(each: Import): boolean {
  const [from, to] = [roomOf(each.from), roomOf(target(each))];
  return from === to || from === '' || ROOMS.indexOf(from) > ROOMS.indexOf(to);
}

function isAmong(places: readonly string[], file: string): boolean {
  return places.some((place) => file.startsWith(place));
}

/** Every import that a program makes before its first line runs: files of ours, and packages. */
function loadedBy(entry: string): string[] {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const one of IMPORTS) {
      if (one.from === file && !one.isType && !one.isDynamic)
        visit(isOwn(one) ? target(one) : one.to);
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
