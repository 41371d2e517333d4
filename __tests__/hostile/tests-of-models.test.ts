// linux-only: the process jail
// slow
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { TestDraft } from '../../src/findings/decide/demonstration.js';
import { protectedPaths } from '../../src/safety/path-rules.js';
import { jailPlaces, untrackedCredentials } from '../../src/tools/process/jail-places.js';
import { createCommandJail, findLayerJail } from '../../src/tools/process/process-jail.js';
import { safePrograms } from '../../src/tools/process/programs.js';
import { demonstrate, openTestBench, runAgain } from '../../src/tools/process/test-bench.js';
import { runThrownAway } from '../../src/tools/process/throw-away-run.js';
import { absentWays, isolated, privateFolder, waysHere } from '../helpers/jail.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { ATTEMPTS, NODE, PUSHES, REPOSITORIES } from './tests-of-models.js';

const quiet = new AbortController().signal;
const limits = { maxMs: 60_000, quickMs: 0, clean: (markdown: string) => markdown };

/** The first way plays all; the others what a way of building the jail could make different. */
const [FIRST_WAY] = waysHere();
const OF_EACH_WAY: readonly string[] = [
  'writes in many places first',
  'starts processes without end',
  'reads a credential and the token of the checkout',
];

function git(folder: string, ...args: readonly string[]): string {
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  return execFileSync('git', ['-C', folder, ...author, ...args], { encoding: 'utf8' });
}

function put(folder: string, files: Readonly<Record<string, string | null>>): void {
  for (const [path, text] of Object.entries(files))
    if (text === null) rmSync(join(folder, path));
    else writeFiles(folder, { [path]: text });
}

/** The ways whose trial has held; it costs as much as a row. */
const tried = new Set<string>();

/** A checkout in a home folder, as on a runner, and the jail of one way around it. */
async function scene(
  { way, path }: ReturnType<typeof waysHere>[number],
  { files, untracked = {} }: Pick<typeof NODE, 'files' | 'untracked'>,
) {
  const root = realpathSync(tempDir('bench'));
  const [home, workspace] = [join(root, 'home'), join(root, 'home/work, with: all/it')];
  writeFiles(home, { '.netrc': 'CANARY', 'cache/file': 'cached' });
  writeFiles(workspace, files);
  git(workspace, 'init', '-q');
  git(workspace, 'config', 'http.extraheader', 'AUTHORIZATION: CANARY');
  commit();
  writeFiles(workspace, untracked);

  function commit(): void {
    git(workspace, 'add', '-A', '-f');
    git(workspace, 'commit', '-qm', 'x');
  }

  const env = { PATH: path(), HOME: home };
  const folder = await privateFolder();
  const credentials = await untrackedCredentials(workspace, env);
  const places = () =>
    jailPlaces({
      env,
      workspace,
      paths: protectedPaths(env),
      instructionFolders: [],
      privateFolder: folder,
      writesHome: true,
      credentials,
    });
  const programs = safePrograms(env.PATH, [workspace]);
  const parts = { env, programs, places };
  if (!tried.has(way.kind)) await findLayerJail(parts, [way]);
  tried.add(way.kind);
  const jail = (additions: string) => createCommandJail(way, programs, places, additions);
  // A hostile test ends at most processes of its own, even if the jail does not hold.
  const enter = (additions: string) => isolated(jail(additions), way).enter;
  const bench = async (timeoutMs = 60_000) => {
    const head = git(workspace, 'rev-parse', 'HEAD').trim();
    return await openTestBench(
      async (request, signal) =>
        await runThrownAway({ ...request, workspace, env }, enter, folder, signal),
      { workspace, env, head, timeoutMs },
      quiet,
    );
  };
  return { root, home, workspace, bench, commit };
}

/** Every file below a folder with its content, without what git keeps for itself. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const names = files.filter((file) => !/\/\.git\/(?:index|objects\/)/.test(file));
  return Object.fromEntries(names.map((file) => [file, readFileSync(file, 'utf8')]));
}

const OUTSIDE = ['/etc', '/root', '/usr', '/var/tmp', '/tmp', '/srv'].flatMap((folder) =>
  ['axe-x', 'axe-saw', 'big'].map((name) => join(folder, name)),
);

/** Programs that this machine lacks. */
const lacks = (program: string) => spawnSync(program, ['--version']).error !== undefined;

it('what is played in each way is in the list of attempts', () => {
  expect(Object.keys(ATTEMPTS)).toEqual(expect.arrayContaining([...OF_EACH_WAY]));
});

for (const { kind, reason } of absentWays())
  it.skip(`tests of models in a jail by ${kind}: not on this machine, ${reason}`, () => {});

describe.each(waysHere().map((one) => [one.way.kind, one] as const))(
  'in layers by %s a test of a model',
  (_, way) => {
    const isFirst = way.way.kind === FIRST_WAY?.way.kind;
    const played = <T>(rows: Readonly<Record<string, T>>) =>
      Object.entries(rows).filter(([name]) => isFirst || OF_EACH_WAY.includes(name));

    for (const [name, fixture] of Object.entries(isFirst ? REPOSITORIES : { 'of node': NODE })) {
      const shows = fixture.hasFault ? 'shows the fault' : 'shows nothing';
      const isAbsent = lacks(fixture.needs);
      const absence = isAbsent ? `: not on this machine, which has no \`${fixture.needs}\`` : '';
      (isAbsent ? it.skip : it)(`${shows} in a repository ${name}${absence}`, async () => {
        const { root, bench } = await scene(way, fixture);
        const before = filesIn(root);
        const shown = await demonstrate(fixture.draft, await bench(), limits, quiet);
        expect(shown).toMatchObject(
          fixture.hasFault
            ? { kind: 'shown', times: expect.any(Number) }
            : { kind: 'none', why: 'it passes on the code as it is' },
        );
        expect(filesIn(root)).toEqual(before);
      });
    }

    it.each(played(ATTEMPTS))(
      'that %s proves nothing false and touches nothing',
      async (_name, { shows, isEnded, ...change }) => {
        const { root, home, bench } = await scene(way, NODE);
        const test = (change.test ?? NODE.draft.test)
          .replaceAll('OUTSIDE', join(root, 'outside'))
          .replaceAll('HOME', home);
        const draft: TestDraft = { ...NODE.draft, ...change, test };
        const before = filesIn(root);
        const shown = await demonstrate(draft, await bench(isEnded ? 2000 : 20_000), limits, quiet);
        const kinds = { yes: ['shown'], no: ['none'], may: ['shown', 'none'] }[shows];
        expect({ ...shown, isRight: kinds.includes(shown.kind) }).toMatchObject({ isRight: true });
        expect(JSON.stringify(shown)).not.toContain('CANARY');
        expect(filesIn(root)).toEqual(before);
        expect(OUTSIDE.filter((path) => existsSync(path))).toEqual([]);
      },
    );

    it('finds the code of the commit, whatever an earlier command has made of it', async () => {
      const { workspace, bench } = await scene(way, REPOSITORIES['without a fault'] ?? NODE);
      put(workspace, { 'clamp.mjs': 'export const clamp = (x) => x;\n' });
      const { draft } = REPOSITORIES['without a fault'] ?? NODE;
      const shown = await demonstrate(draft, await bench(), limits, quiet);
      expect(shown).toMatchObject({ kind: 'none', why: 'it passes on the code as it is' });
    });

    it('finds files that an earlier command has deleted, links and programs', async () => {
      const { workspace, bench, commit } = await scene(way, NODE);
      put(workspace, { 'run.sh': '#!/bin/sh\necho ran\n' });
      execFileSync('sh', ['-c', 'chmod +x run.sh; ln -s list.mjs link.mjs'], { cwd: workspace });
      commit();
      execFileSync('sh', ['-c', 'rm list.mjs link.mjs; echo x >run.sh'], { cwd: workspace });
      const test = { ...NODE.draft, command: './run.sh && readlink link.mjs && cat list.mjs' };
      const { exit, output } = await (await bench()).run(test, new Map(), quiet);
      expect({ exit, output }).toMatchObject({
        exit: 0,
        output: expect.stringMatching(/^ran\nlist.mjs\nexport function first/),
      });
    });

    it('does not find the files that a fix deletes', async () => {
      const { workspace, bench } = await scene(way, NODE);
      const gone = new Map([
        ['list.mjs', undefined],
        ['-rf', undefined],
      ]);
      const { output } = await (await bench()).run({ ...NODE.draft, command: 'ls' }, gone, quiet);
      expect(output).toContain('package.json');
      expect(output).not.toContain('list.mjs');
      expect(existsSync(join(workspace, 'list.mjs'))).toBe(true);
    });

    it('reaches neither the loopback nor the sockets of the machine, and has its own', async () => {
      const { bench } = await scene(way, NODE);
      const server = createServer((_request, response) => response.end('REACHED'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const command = `node -e "fetch('http://127.0.0.1:${port}').then((r) => r.text()).then(console.log, () => console.log('refused'))"
node -e "const s = require('node:http').createServer((q, r) => r.end('own')).listen(0, '127.0.0.1', () => fetch('http://127.0.0.1:' + s.address().port).then((r) => r.text()).then((t) => { console.log(t); s.close(); s.closeAllConnections(); }))"`;
      const { output } = await (await bench()).run({ ...NODE.draft, command }, new Map(), quiet);
      await new Promise((resolve) => server.close(resolve));
      expect(output.trim().split('\n')).toEqual(['refused', 'own']);
    });

    it('sees what earlier steps left in the home folder', async () => {
      const { bench } = await scene(way, NODE);
      const command = 'cat "$HOME/cache/file"; echo more >>"$HOME/cache/file"; echo; cat .netrc';
      const { output } = await (await bench()).run({ ...NODE.draft, command }, new Map(), quiet);
      expect(output).toMatch(/^cached/);
    });

    if (!isFirst) return;

    // Chance agrees with what was foretold in one of 2,600 such tests.
    it('fails by chance shows nothing', async () => {
      const { bench } = await scene(way, NODE);
      const expression = 'Math.random() < 0.02 ? 2 : 1';
      const test = NODE.draft.test.replace('first([1, 2])', expression);
      const opened = await bench();
      const shown = await demonstrate({ ...NODE.draft, test }, opened, limits, quiet);
      expect(shown.kind).toBe('none');
    });

    it.each(Object.entries(PUSHES))(
      'is run again after a push of %s',
      async (_name, [files, said]) => {
        const { workspace, bench, commit } = await scene(way, NODE);
        put(workspace, files);
        commit();
        expect(await runAgain(NODE.draft, await bench(), quiet)).toBe(said);
      },
    );

    it('is not run over another commit', async () => {
      const { workspace } = await scene(way, NODE);
      const place = { workspace, env: process.env, head: 'f'.repeat(40) };
      const opening = openTestBench(async () => Promise.reject(new Error('run')), place, quiet);
      await expect(opening).rejects.toThrow(/no checkout of fffffff/);
    });

    it('is run over a merge of the commit into the base', async () => {
      const { workspace, bench } = await scene(way, NODE);
      const base = git(workspace, 'rev-parse', 'HEAD').trim();
      put(workspace, { 'new.txt': 'new' });
      git(workspace, 'add', '-A');
      git(workspace, 'commit', '-qm', 'head');
      const head = git(workspace, 'rev-parse', 'HEAD').trim();
      git(workspace, 'checkout', '-q', '--detach', base);
      git(workspace, 'merge', '-q', '--no-ff', '-m', 'merge', head);
      const place = { workspace, env: process.env, head };
      const opened = await openTestBench(
        async () => Promise.reject(new Error('run')),
        place,
        quiet,
      );
      expect(opened.exists('new.txt')).toBe(true);
      expect(bench).toBeDefined();
    });
  },
);
