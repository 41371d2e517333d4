// linux-only: the process jail
// slow
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { protectedPaths } from '../../src/safety/path-rules.js';
import { makeReserved } from '../../src/tools/process/jail-mounts.js';
import { jailPlaces } from '../../src/tools/process/jail-places.js';
import { createCommandJail } from '../../src/tools/process/process-jail.js';
import { safePrograms } from '../../src/tools/process/programs.js';
import { createShell } from '../../src/tools/process/shell.js';
import { absentWays, isolated, privateFolder, waysHere } from '../helpers/jail.js';
import { removeAfterTest, tempDir, writeFiles } from '../helpers/temp.js';

const { signal } = new AbortController();
const servers: Server[] = [];
const programs: ChildProcess[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, 'close');
  }
  for (const program of programs.splice(0)) {
    program.kill('SIGKILL');
    await once(program, 'exit');
  }
});

/** A runner's folders, with the parts of a machine that lie elsewhere made when a test asks. */
async function makeScene({ way, path }: ReturnType<typeof waysHere>[number], hasNetwork = false) {
  const root = realpathSync(tempDir('s'));
  const [WORK, HOME, TEMP, TOOLS] = ['work', 'home', 'temp', 'tool'].map((name) =>
    join(root, name),
  ) as [string, string, string, string];
  for (const folder of [WORK, HOME, TEMP, TOOLS]) mkdirSync(folder);
  writeFiles(WORK, { '.github/workflows/ci.yml': 'original' });
  const env = {
    PATH: [join(TOOLS, 'bin'), dirname(process.execPath), path()].join(':'),
    HOME,
    RUNNER_TEMP: TEMP,
    RUNNER_TOOL_CACHE: TOOLS,
  };
  const options = {
    env,
    workspace: WORK,
    paths: protectedPaths(env),
    instructionFolders: [],
    privateFolder: await privateFolder(),
    writesHome: false,
    credentials: [],
  };
  const places = () => jailPlaces(options);
  await makeReserved(places());
  const jail = createCommandJail({ ...way, hasNetwork }, safePrograms(env.PATH, [WORK]), places);
  const enter = async () => isolated(jail, { ...way, hasNetwork });
  return {
    root,
    WORK,
    HOME,
    TEMP,
    TOOLS,
    async run(command: string, artifactDir?: string): Promise<string> {
      const limits = { cwd: WORK, timeoutMs: 60_000, maxOutputBytes: 50_000 };
      const shell = createShell({ ...env, AXE_ARTIFACT_DIR: artifactDir }, enter);
      return (await shell({ command, ...limits }, signal)).output;
    },
  };
}

type Scene = Awaited<ReturnType<typeof makeScene>>;

/** A new folder of this test in one of the system; undefined where this user cannot make one. */
function folderIn(parent: string): string | undefined {
  try {
    const folder = mkdtempSync(join(parent, 'axe-s-'));
    removeAfterTest(folder);
    return folder;
  } catch {
    return undefined;
  }
}

function folderBelow(parent: string, name: string): string {
  mkdirSync(join(parent, name), { recursive: true });
  return join(parent, name);
}

async function listen(path: string): Promise<string> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  server.listen(path);
  await once(server, 'listening');
  return path;
}

async function listenIn(folder: string | undefined): Promise<string | undefined> {
  return folder === undefined ? undefined : await listen(join(folder, 'agent.sock'));
}

/** A program that binds its socket by a name without a folder. */
async function listenRelative(folder: string): Promise<string> {
  const script = `require('net').createServer((s) => s.destroy()).listen('agent.sock', () => console.log())`;
  const program = spawn(process.execPath, ['-e', script], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  programs.push(program);
  if (program.stdout !== null) await once(program.stdout, 'data');
  return join(folder, 'agent.sock');
}

async function listenRenamed(folder: string): Promise<string> {
  const path = await listen(join(folder, 'new.sock'));
  renameSync(path, join(folder, 'agent.sock'));
  return join(folder, 'agent.sock');
}

async function listenBehindLink(scene: Scene): Promise<string> {
  await listen(join(folderBelow(scene.root, 'work/elsewhere'), 'agent.sock'));
  symlinkSync(join(scene.WORK, 'elsewhere'), join(scene.HOME, 'link'));
  return join(scene.HOME, 'link/agent.sock');
}

/** The places of a machine in which a program listens; undefined where this user cannot. */
const PLACES: Readonly<Record<string, (scene: Scene) => Promise<string | undefined>>> = {
  'a folder of /tmp': () => listenIn(folderIn('/tmp')),
  'a folder of /var/tmp': () => listenIn(folderIn('/var/tmp')),
  'a folder of /dev/shm': () => listenIn(folderIn('/dev/shm')),
  'a folder of /run': () => listenIn(folderIn('/run')),
  'a folder of /srv': () => listenIn(folderIn('/srv')),
  'a folder of /opt': () => listenIn(folderIn('/opt')),
  'a folder of /var/lib': () => listenIn(folderIn('/var/lib')),
  'the home folder': ({ HOME }) => listenIn(HOME),
  'a hidden folder of the home folder': ({ HOME }) => listenIn(folderBelow(HOME, '.colima/a')),
  'the temporary folder of the runner': ({ TEMP }) => listenIn(TEMP),
  'a tool’s folder': ({ TOOLS }) => listenIn(folderBelow(TOOLS, 'bin')),
  'the workspace': ({ WORK }) => listenIn(WORK),
  'a folder of the workspace': ({ WORK }) => listenIn(folderBelow(WORK, 'a/b')),
  'a folder behind a link': listenBehindLink,
  'the workspace, by a name without a folder': ({ WORK }) =>
    listenRelative(folderBelow(WORK, 'relative')),
  'the workspace, by another name than at first': ({ WORK }) =>
    listenRenamed(folderBelow(WORK, 'renamed')),
};

/** Prints each of the paths that it can connect to. */
function connectTo(paths: readonly string[]): readonly [program: string, ...args: string[]] {
  const script = `for (const path of ${JSON.stringify(paths)}) {
    const socket = require('net').connect(path, () => { console.log('REACHED ' + path); socket.destroy(); });
    socket.on('error', () => {});
  }`;
  return [process.execPath, '-e', script];
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

const REACHED = /^REACHED .*$/gm;

/** The sockets that are reached by a program outside and by one in the jail. */
async function reached({ run }: Scene, paths: readonly string[]) {
  const [program, ...args] = connectTo(paths);
  const outside = execFileSync(program, args, { encoding: 'utf8' });
  const inside = await run(`echo it ran; ${quoted([program, ...args])}`);
  return {
    outside: outside.match(REACHED)?.length ?? 0,
    inside: inside.match(REACHED) ?? [],
    ran: inside.includes('it ran'),
  };
}

// A machine that lacks a way says so in the list of tests.
for (const { kind, reason } of absentWays())
  it.skip(`sockets and a jail by ${kind}: not on this machine, ${reason}`, () => {});

const WAYS = waysHere().map((here) => [here.way.kind, here] as const);

describe.each(WAYS)('C7 117: from a jail by %s', (_, here) => {
  it('no socket of the machine is reached, in whatever place it is', async () => {
    const scene = await makeScene(here);
    const paths: string[] = [];
    const absent: string[] = [];
    for (const [place, make] of Object.entries(PLACES)) {
      const path = await make(scene);
      if (path === undefined) absent.push(place);
      else paths.push(path);
    }
    const { outside, inside, ran } = await reached(scene, paths);
    expect({ outside, inside, ran }).toEqual({ outside: paths.length, inside: [], ran: true });
    expect(absent).toEqual(here.way.uid === 0 ? [] : expect.arrayContaining(['a folder of /run']));
  });

  it('none is reached that was made after an earlier command', async () => {
    const scene = await makeScene(here);
    await scene.run('true');
    const paths = [await listen(join(scene.HOME, 's')), await listen(join(scene.WORK, 's'))];
    expect(await reached(scene, paths)).toEqual({ outside: 2, inside: [], ran: true });
  });

  it('none without a path (abstract) is reached', async () => {
    const scene = await makeScene(here);
    const path = await listen(`\0axe-action-test-${process.pid}-${here.way.kind}`);
    expect(await reached(scene, [path])).toEqual({ outside: 1, inside: [], ran: true });
  });

  it('no descriptor is inherited', async () => {
    const scene = await makeScene(here);
    expect(await scene.run('for fd in /proc/self/fd/*; do echo "${fd##*/}"; done')).toBe(
      '0\n1\n2\n3\n',
    );
  });
});

describe.each(WAYS)('C7 118: from a jail by %s', (_, here) => {
  /** Says whether it is reached by a program in a jail. */
  async function isReached(scene: Scene, port: number): Promise<boolean> {
    const script = `require('net').connect(${port}, '127.0.0.1', () => { console.log('REACHED'); process.exit(); })`;
    return (await scene.run(quoted([process.execPath, '-e', script]))).includes('REACHED\n');
  }

  async function listenOnLoopback(): Promise<number> {
    const server = createServer((socket) => socket.destroy());
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  it('a service on the machine’s loopback is reached only with the network', async () => {
    const port = await listenOnLoopback();
    expect(await isReached(await makeScene(here), port)).toBe(false);
    expect(await isReached(await makeScene(here, true), port)).toBe(true);
  });

  it('a command reaches the services that it starts itself', async () => {
    const { run } = await makeScene(here);
    const script = `const server = require('net').createServer((s) => s.end('hello')).listen(0, '127.0.0.1', () =>
      require('net').connect(server.address().port, 'localhost').on('data', (text) => { console.log(String(text)); process.exit(); }));`;
    expect(await run(quoted([process.execPath, '-e', script]))).toBe('hello\n');
  });

  it('there is no interface but loopback', async () => {
    const { run } = await makeScene(here);
    const interfaces = await run("sed -n 's/^ *\\([^ ]*\\):.*/\\1/p' /proc/net/dev");
    expect(interfaces).toBe('lo\n');
  });
});

describe.each(WAYS)('C7 119: two commands in a jail by %s', (_, here) => {
  it('share /tmp, /var/tmp and the home folder, and nothing of it with the machine', async () => {
    const scene = await makeScene(here);
    const folder = folderIn('/tmp') ?? '';
    await scene.run('echo a > /tmp/a; echo b > /var/tmp/b; echo c > ~/c; touch /tmp/left-here');
    const output = await scene.run(
      `cat /tmp/a /var/tmp/b ~/c; ls -d ${folder}; ls -A /run /dev/shm`,
    );
    expect(output).toBe(
      `a\nb\nc\nls: cannot access '${folder}': No such file or directory\n/dev/shm:\n\n/run:\n`,
    );
    expect(() => realpathSync('/tmp/left-here')).toThrow('ENOENT');
  });

  it.each([
    [
      'exchanges a folder around the workspace',
      'mv "$ROOT" /tmp/x; mkdir -p "$ROOT"; ln -s / "$ROOT/work"',
    ],
    ['removes a folder around the workspace', 'rm -rf "$ROOT"; ln -s / "$ROOT"'],
    ['exchanges it by another name', 'mv "/proc/self/root$ROOT" /tmp/x; ln -s / "$ROOT"'],
    [
      'mounts in a namespace of its own',
      'unshare --user --map-root-user --mount sh -c \'umount -l "$ROOT/work"; umount -l "$ROOT"; mv "$ROOT" /tmp/x; ln -s / "$ROOT"\'',
    ],
    ['links the home folder of commands', 'rm -rf /tmp/home; ln -s "$ROOT/work/.github" /tmp/home'],
  ])('do not change what the second one sees if the first one %s', async (_name, attack) => {
    const scene = await makeScene(here);
    await scene.run(`ROOT='${scene.root}'; export ROOT; cd /; ${attack}`);
    const output = await scene.run(
      'pwd; echo x > .github/new || echo refused; echo x > ~/new; ls .github',
    );
    expect(output).toMatch(/^\S+\/work\n/);
    expect(output).toMatch(/refused\n(.*\n)*workflows\n$/);
    expect(output).not.toMatch(/^new$/m);
  });

  it.each([
    ['to what is protected', '$WORK/.github'],
    ['to the programs of the system', '/usr/bin'],
    ['to nothing', '/nowhere'],
  ])('do not have a folder that comes later mounted behind a link %s', async (_name, target) => {
    const scene = await makeScene(here);
    const folder = folderIn('/tmp') ?? '';
    await scene.run(`WORK='${scene.WORK}'; ln -s "${target}" '${folder}'`);
    const output = await scene.run('echo it ran', folder);
    expect(output).toContain(`the process jail could not be built: shown ${folder}`);
    expect(output).not.toContain('it ran');
  });
});
