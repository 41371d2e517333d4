import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { jailPlaces, makeReserved } from '../../../src/tools/process/jail-places.js';
import { createCommandJail, findCommandJail } from '../../../src/tools/process/process-jail.js';
import { safePrograms, scrubEnv } from '../../../src/tools/process/programs.js';
import { createShell } from '../../../src/tools/process/shell.js';
import { protectedPaths } from '../../../src/tools/workspace/jail.js';
import { isolated, waysHere } from '../../helpers/jail.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';

const WAYS = waysHere();
const quiet = new AbortController().signal;

/** A runner's folders, with names that no shell may read: the workspace, memory, agents, and files of the runner. */
function makeRunner() {
  const root = join(realpathSync(tempDir('jail')), `it's "$HOME" \`id\` ; a`);
  const workspace = join(root, 'work space');
  writeFiles(root, {
    '_temp/_runner_file_commands/env': 'CANARY-env',
    '_temp/key.pem': 'CANARY-key',
    '_temp/_github_workflow/event.json': 'CANARY-event',
    'elsewhere/_runner_file_commands/path': 'CANARY-path',
    'elsewhere/_runner_file_commands/other': 'CANARY-other',
    'elsewhere/summary': 'CANARY-summary',
    'bots/agents/linked.toml': 'original',
    '_actions/org/other/v1/dist/index.js': 'original',
  });
  writeFiles(workspace, {
    '.github/workflows/ci.yml': 'original',
    'action.yml': 'original',
    'docs/mem/rev.md': 'CANARY-memory',
    'axe/agents/worker.toml': 'original',
    'prompts/skill.md': 'original',
    '.git/config': 'original',
    '.git/hooks/pre-commit': 'original',
    'src/a.txt': 'a',
  });
  symlinkSync(join(root, 'bots'), join(workspace, 'bots'));
  const env = {
    RUNNER_TEMP: join(root, '_temp'),
    GITHUB_ENV: join(root, '_temp/_runner_file_commands/env'),
    GITHUB_PATH: join(root, 'elsewhere/_runner_file_commands/path'),
    GITHUB_OUTPUT: join(root, 'elsewhere/absent'),
    GITHUB_STEP_SUMMARY: join(root, 'elsewhere/summary'),
    GITHUB_EVENT_PATH: join(root, '_temp/_github_workflow/event.json'),
  };
  mkdirSync(join(root, 'home'));
  const ownFolder = join(root, '_actions/YOUR_ORG/axe-action/v1');
  const memory = [join(workspace, 'docs/mem'), join(workspace, '.axe/memory')];
  const options = {
    env,
    workspace,
    paths: {
      ...protectedPaths(env),
      readOnly: [ownFolder],
      memory,
      readOnlyNow: () => [join(workspace, 'prompts/skill.md')],
    },
    instructionFolders: [join(workspace, 'bots/agents'), join(workspace, 'bots/skills')],
    home: join(root, 'home'),
    credentials: [],
  };
  return { root, workspace, env, options, places: () => jailPlaces(options) };
}

/** Every file below a folder with its content, links not followed. */
function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

if (WAYS.length === 0)
  it('no command jail is found on a machine that allows no mount namespace', async () => {
    const { places } = makeRunner();
    const programs = safePrograms(process.env['PATH'], []);
    await expect(findCommandJail({ env: process.env, programs, places })).rejects.toThrow(/\S/);
  });
else
  describe.each(WAYS.map((one) => [one.way.kind, one] as const))(
    'a jail by %s',
    (_, { way, path: pathOf }) => {
      let runner = makeRunner();
      let path = '';
      beforeEach(async () => {
        runner = makeRunner();
        path = pathOf();
        await makeReserved(runner.places());
      });

      const env = {
        PATH: '/usr/bin:/bin',
        HOME: '/home/somebody',
        HTTPS_PROXY: 'http://user:pass@proxy:1',
        GITHUB_TOKEN: 'ghs_canary',
        LANG: 'C',
      };

      function shellOf(jail = createCommandJail(way, safePrograms(path, []), runner.places)) {
        return createShell(env, async () => isolated(jail, way));
      }

      async function run(command: string, signal: AbortSignal = quiet) {
        const request = { command, cwd: runner.workspace, timeoutMs: 100_000, maxOutputBytes: 50_000 };
        return await shellOf()(request, signal);
      }

      it('passes its trial', async () => {
        const parts = { env, programs: safePrograms(path, []), places: runner.places };
        await findCommandJail(parts, [way]);
        const folders = ['_actions', '_temp', 'bots', 'elsewhere', 'home', 'work space'];
        expect(readdirSync(runner.root).sort()).toEqual(folders);
      });

      it('shows a command its workspace, its output and its exit code', async () => {
        const { exitCode, output } = await run('pwd; cat src/a.txt; echo e >&2; echo b > src/b.txt; exit 7');
        expect({ exitCode, output }).toEqual({ exitCode: 7, output: `${runner.workspace}\nae\n` });
        const made = statSync(join(runner.workspace, 'src/b.txt'));
        expect([made.uid, made.gid]).toEqual([way.uid, way.gid]);
      });

      it('gives a command the environment it may have, and no input', async () => {
        const { output } = await run('env; cat');
        expect(output).toContain(`HOME=${runner.root}/home\n`);
        expect(output).toContain('PATH=/usr/bin:/bin\n');
        expect(output).toContain('HTTPS_PROXY=http://user:pass@proxy:1\n');
        expect(output).toContain(`TMPDIR=${runner.env.RUNNER_TEMP}\n`);
        expect(output).not.toMatch(/ghs_canary|SUDO_|GITHUB_|RUNNER_/);
      });

      it('protects the configuration of a run against every kind of change', async () => {
        const before = filesIn(runner.root);
        const targets =
          `.github/workflows/ci.yml .github/new.yml action.yml axe/agents/worker.toml axe/agents/new.toml
    axe/skills/new/SKILL.md .axe/memory/forged.md docs/mem/rev.md bots/agents/linked.toml
    bots/skills/new.md prompts/skill.md .git/config .git/hooks/pre-commit
    ../_actions/org/other/v1/dist/index.js ../_temp/_runner_file_commands/env ../elsewhere/summary
    ../elsewhere/_runner_file_commands/path ../elsewhere/_runner_file_commands/other`.split(/\s+/);
        const names = targets.map((target) => `'${target}'`).join(' ');
        await run(`for file in ${names}; do
        mkdir -p "$(dirname "$file")"; echo hostile >> "$file"; rm -rf "$file"; mv "$file" gone
      done
      for folder in axe .github .git .axe docs prompts; do mv "$folder" moved && mkdir -p "$folder"; rm -rf "$folder"; done
      cd ..; mv 'work space' moved; mv _temp moved; mv elsewhere moved; mv _actions moved; mv bots moved; mv "$PWD" ../moved`);
        const after = filesIn(runner.root);
        const ours = Object.entries(before).filter(([file]) => !file.endsWith('src/a.txt'));
        expect(after).toMatchObject(Object.fromEntries(ours));
        expect(Object.values(after).join()).not.toContain('hostile');
      });

      it('shows the workspace inside the temporary folder, but not its surroundings', async () => {
        const inside = join(runner.env.RUNNER_TEMP, 'a', 'checkout');
        mkdirSync(join(runner.env.RUNNER_TEMP, 'a'));
        renameSync(runner.workspace, inside);
        runner.workspace = inside;
        const moved = { ...runner.options, workspace: inside };
        runner.places = () =>
          jailPlaces({ ...moved, paths: protectedPaths(runner.env), instructionFolders: [] });
        const { output } = await run(
          'pwd; cat src/a.txt; echo; ls .. "$TMPDIR"; echo x > .github/x || echo refused; touch made',
        );
        expect(output).toMatch(/\nrefused\n$/);
        expect(output).not.toContain('key.pem');
        expect(existsSync(join(inside, 'made'))).toBe(true);
      });

      it('ends with all processes started in it, whatever they do', async () => {
        const hostile = `trap "" INT TERM HUP; (setsid sh -c 'trap "" TERM; echo up >> up; while :; do sleep 1; echo x >> beats; done' &)`;
        const abort = new AbortController();
        const running = run(
          `${hostile}; kill -9 -1 2>/dev/null; exec setsid sh -c 'touch ready; sleep 100000'`,
          abort.signal,
        );
        const ready = join(runner.workspace, 'ready');
        let isOver = false;
        void running
          .catch(() => undefined)
          .then(() => {
            isOver = true;
          });
        while (!existsSync(ready) && !isOver) await new Promise((resolve) => setImmediate(resolve));
        expect(processesIn(runner.workspace)).not.toBe(0);
        abort.abort(new Error('cancelled'));
        await expect(running).rejects.toThrow('cancelled');
        expect(processesIn(runner.workspace)).toBe(0);
      });
    },
  );

/** How many processes have their current folder in a folder. */
function processesIn(folder: string): number {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => {
    try {
      return realpathSync(`/proc/${id}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}

describe('without a possible jail', () => {
  const find = (PATH: string, more = {}) =>
    findCommandJail({
      env: { PATH, ...more },
      programs: safePrograms(PATH, []),
      places: makeRunner().places,
    });

  it.each([
    ['there is no program for it', {}],
    ['nor on a runner', { GITHUB_ACTIONS: 'true' }],
  ])('the reason is one line: %s', async (_, env) => {
    const reason = '`PATH` has no `sh` in a folder that commands cannot write';
    await expect(find(tempDir('empty'), env)).rejects.toThrow(reason);
  });

  it('a jail that hides nothing does not pass its trial', async () => {
    const bin = tempDir('bin');
    const [way] = WAYS;
    if (way === undefined) return;
    writeFiles(bin, { mount: '#!/bin/sh\nexit 0\n' });
    chmodSync(join(bin, 'mount'), 0o755);
    await expect(find(`${bin}:${way.path()}`)).rejects.toThrow('can be reached');
  });
});

describe('a scrubbed environment', () => {
  it('holds what programs need and nothing else', () => {
    const kept =
      'PATH HOME LANG LC_ALL TZ TMPDIR TERM HTTPS_PROXY http_proxy NO_PROXY no_proxy SSL_CERT_FILE SSL_CERT_DIR ' +
      'NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE GIT_SSL_CAINFO';
    const dropped =
      'ANTHROPIC_API_KEY GITHUB_TOKEN GH_TOKEN GITHUB_ENV ACTIONS_RUNTIME_TOKEN ACTIONS_RESULTS_URL RUNNER_TEMP ' +
      'INPUT_API_KEY INPUT_API-KEY AWS_SECRET_ACCESS_KEY DATABASE_URL NODE_OPTIONS NODE_TLS_REJECT_UNAUTHORIZED ' +
      'LD_PRELOAD BASH_ENV ENV SSH_AUTH_SOCK PATH_TOKEN LC_ lc_all';
    const valued = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, 'x']));
    const env = { ...valued(dropped), ...valued(kept), USER: undefined };
    expect(scrubEnv(env)).toEqual(valued(kept));
  });
});
