// linux-only: the process jail
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { protectedPaths } from '../../../src/safety/path-rules.js';
import { makeReserved } from '../../../src/tools/process/jail-mounts.js';
import { jailPlaces } from '../../../src/tools/process/jail-places.js';
import { createCommandJail, findCommandJail } from '../../../src/tools/process/process-jail.js';
import { safePrograms, scrubEnv } from '../../../src/tools/process/programs.js';
import { createShell } from '../../../src/tools/process/shell.js';
import { isolated, privateFolder, processesIn, waysHere } from '../../helpers/jail.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';

const WAYS = waysHere();
const quiet = new AbortController().signal;

/** A runner's folders, with names that no shell may read: the workspace, and what is temporary. */
async function makeRunner() {
  const root = join(realpathSync(tempDir('jail')), `it's "$HOME" \`id\` ; a`);
  const workspace = join(root, 'work space');
  writeFiles(root, { '_temp/key.pem': 'CANARY-key' });
  writeFiles(workspace, { '.github/workflows/ci.yml': 'original', 'src/a.txt': 'a' });
  mkdirSync(join(root, 'home'));
  const env = { RUNNER_TEMP: join(root, '_temp'), HOME: join(root, 'home') };
  const options = {
    env,
    workspace,
    paths: protectedPaths(env),
    instructionFolders: [],
    privateFolder: await privateFolder(),
    writesHome: false,
    credentials: [],
  };
  return { root, workspace, env, options, places: () => jailPlaces(options) };
}

if (WAYS.length === 0)
  it('no command jail is found on a machine that allows no mount namespace', async () => {
    const { places } = await makeRunner();
    const programs = safePrograms(process.env['PATH'], []);
    const parts = { env: process.env, programs, places, hasNetwork: false };
    await expect(findCommandJail(parts)).rejects.toThrow(/\S/);
  });
else
  describe.each(WAYS.map((one) => [one.way.kind, one] as const))(
    'a jail by %s',
    (_, { way, path: pathOf }) => {
      let runner: Awaited<ReturnType<typeof makeRunner>>;
      let path = '';
      beforeEach(async () => {
        runner = await makeRunner();
        path = pathOf();
        await makeReserved(runner.places());
      });

      const { hasNetwork } = way;
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
        const request = {
          command,
          cwd: runner.workspace,
          timeoutMs: 100_000,
          maxOutputBytes: 50_000,
        };
        return await shellOf()(request, signal);
      }

      it('passes its trial', async () => {
        const parts = { env, programs: safePrograms(path, []), places: runner.places, hasNetwork };
        const { network } = await findCommandJail(parts, [way]);
        expect(network).toBe('loopback');
        expect(readdirSync(runner.root).sort()).toEqual(['_temp', 'home', 'work space']);
      });

      it('reserves the folders of agents until the run ends', async () => {
        const { workspace, places } = await makeRunner();
        const before = process.listeners('exit');
        const programs = safePrograms(path, []);
        await findCommandJail({ env, programs, places, hasNetwork }, [way]);
        expect(readdirSync(workspace).sort()).toEqual(['.axe', '.github', 'axe', 'src']);
        for (const end of process.listeners('exit')) if (!before.includes(end)) end(0);
        expect(readdirSync(workspace).sort()).toEqual(['.github', 'src']);
      });

      it('shows a command its workspace, its output and its exit code', async () => {
        const { exitCode, output } = await run(
          'pwd; cat src/a.txt; echo e >&2; echo b > src/b.txt; exit 7',
        );
        expect({ exitCode, output }).toEqual({ exitCode: 7, output: `${runner.workspace}\nae\n` });
        const made = statSync(join(runner.workspace, 'src/b.txt'));
        expect([made.uid, made.gid]).toEqual([way.uid, way.gid]);
      });

      it('gives a command the environment it may have, and no input', async () => {
        const { output } = await run('env; cat');
        expect(output).toContain('HOME=/tmp/home\n');
        expect(output).toContain('PATH=/usr/bin:/bin\n');
        expect(output).toContain('HTTPS_PROXY=http://user:pass@proxy:1\n');
        expect(output).toContain('TMPDIR=/tmp\n');
        expect(output).not.toMatch(/ghs_canary|SUDO_|GITHUB_|RUNNER_/);
      });

      it('shows the workspace inside the temporary folder, but not its surroundings', async () => {
        const inside = join(runner.env.RUNNER_TEMP, 'a', 'checkout');
        mkdirSync(join(runner.env.RUNNER_TEMP, 'a'));
        renameSync(runner.workspace, inside);
        runner.workspace = inside;
        runner.places = () => jailPlaces({ ...runner.options, workspace: inside });
        const { output } = await run(
          'pwd; cat src/a.txt; echo; ls .. "$TMPDIR"; echo x > .github/x || echo refused; touch made',
        );
        expect(output).toMatch(/\nrefused\n$/);
        expect(output).not.toContain('key.pem');
        expect(existsSync(join(inside, 'made'))).toBe(true);
      });

      it('gives a command devices of its own, a terminal and process substitution among them', async () => {
        const { output } = await run(
          'ls /dev | tr "\\n" " "; echo x >/dev/null; head -c 2 /dev/zero | wc -c; touch /dev/shm/a; touch /dev/a || echo refused; script -qec tty /dev/null; bash -c "cat <(echo substituted)"',
        );
        expect(output).toMatch(
          /^fd full null ptmx pts random shm stderr stdin stdout tty urandom zero 2\n.*\nrefused\n\/dev\/pts\/0\r?\nsubstituted\n$/,
        );
      });

      it('protects a `.git` that is a file, and what git runs in submodules', async () => {
        writeFiles(runner.workspace, { '.git': 'gitdir: ../elsewhere\n' });
        const attack = 'echo "gitdir: /tmp" > .git; mv .git x; rm -f .git; cat .git';
        expect((await run(attack)).output).toMatch(/\ngitdir: \.\.\/elsewhere\n$/);

        rmSync(join(runner.workspace, '.git'));
        writeFiles(runner.workspace, { '.git/modules/a/hooks/post-checkout': 'original' });
        const { output } = await run('cd .git/modules/a/hooks; echo x > post-checkout; cat *');
        expect(output).toMatch(/\noriginal$/);
      });

      it('shows programs and certificates that lie in /tmp, and nothing next to them', async () => {
        const folder = tempDir('programs');
        writeFiles(folder, { 'tool/bin/hello': '#!/bin/sh\ncat "$(dirname "$0")/../lib/text"\n' });
        writeFiles(folder, {
          'tool/lib/text': 'hello\n',
          'ca.pem': 'certificate\n',
          key: 'CANARY',
        });
        chmodSync(join(folder, 'tool/bin/hello'), 0o755);
        const given = { PATH: `${folder}/tool/bin:${path}`, SSL_CERT_FILE: `${folder}/ca.pem` };
        const { options } = runner;
        runner.places = () => jailPlaces({ ...options, env: { ...options.env, ...given } });
        const { output } = await run(
          `hello; cat '${folder}/ca.pem'; ls '${folder}'; echo x > '${folder}/ca.pem' || echo refused`,
        );
        expect(output).toMatch(/^hello\ncertificate\nca\.pem\ntool\n.*\nrefused\n$/);
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
        expect(processesIn(runner.workspace)).not.toEqual([]);
        abort.abort(new Error('cancelled'));
        await expect(running).rejects.toThrow('cancelled');
        expect(processesIn(runner.workspace)).toEqual([]);
      });
    },
  );

describe('without a possible jail', () => {
  const find = async (PATH: string, more = {}) => {
    const { places } = await makeRunner();
    const programs = safePrograms(PATH, []);
    return findCommandJail({ env: { PATH, ...more }, programs, places, hasNetwork: false });
  };

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
    const hides = '*ro,mode=0555* | *--bind\\ /dev/null*';
    const mount = `case "$*" in ${hides}) exit 0 ;; esac\nexec /usr/bin/mount "$@"`;
    writeFiles(bin, { mount: `#!/bin/sh\n${mount}\n` });
    chmodSync(join(bin, 'mount'), 0o755);
    await expect(find(`${bin}:${way.path()}`)).rejects.toThrow('can be reached');
  });
});

describe('on a machine that', () => {
  const [first] = WAYS;

  /** Finds a jail without the network, with one program in the place of the machine's. */
  async function findWith(program: string, script: string) {
    const bin = tempDir('bin');
    writeFiles(bin, { [program]: `#!/bin/sh\n${script}\n` });
    chmodSync(join(bin, program), 0o755);
    const PATH = `${bin}:${first?.path()}`;
    const { options } = await makeRunner();
    const places = () => jailPlaces({ ...options, env: { ...options.env, PATH } });
    const programs = safePrograms(PATH, []);
    return await findCommandJail({ env: { PATH }, programs, places, hasNetwork: false });
  }

  const inJail = first === undefined ? it.skip : it;

  inJail('cannot bring up loopback commands have no network at all', async () => {
    expect((await findWith('ip', 'exit 1')).network).toBe('none');
  });

  inJail('cannot take the network commands have that of the machine', async () => {
    const script = 'case " $* " in *" --net "*) exit 1 ;; esac\nexec /usr/bin/unshare "$@"';
    expect((await findWith('unshare', script)).network).toBe('machine');
  });

  inJail('only seems to take the network the trial finds out', async () => {
    const script =
      'for word do shift; [ "$word" = --net ] || set -- "$@" "$word"; done\nexec /usr/bin/unshare "$@"';
    expect((await findWith('unshare', script)).network).toBe('machine');
  });
});

it('a scrubbed environment holds what programs need and nothing else', () => {
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
