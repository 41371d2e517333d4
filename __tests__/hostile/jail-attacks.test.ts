// linux-only: the process jail
// slow
import { readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { protectedPaths } from '../../src/safety/path-rules.js';
import { makeReserved } from '../../src/tools/process/jail-mounts.js';
import { jailPlaces, untrackedCredentials } from '../../src/tools/process/jail-places.js';
import { createCommandJail, type JailWay } from '../../src/tools/process/process-jail.js';
import { safePrograms } from '../../src/tools/process/programs.js';
import { createShell } from '../../src/tools/process/shell.js';
import { absentWays, isolated, privateFolder, processesIn, waysHere } from '../helpers/jail.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { JAIL_ATTACKS } from './jail-attacks.js';

/** What the attacks may leave behind: what lies in the workspace and is nobody's configuration. */
const FREE =
  /^work\/(?!(?:\.github|\.axe|axe\/(?:agents|skills)|action\.yml|tools\/axe|\.git\/(?:config|config\.worktree|hooks|commondir)|docs\/mem|prompts\/skill\.md)(?:\/|$))/;

/**
 * A machine with a runner, a home folder with credentials, and a workspace; every secret has the
 * word CANARY.
 */
async function scene(PATH: string) {
  const root = realpathSync(tempDir('attacks'));
  const [RUNNER, WORK, REALHOME] = ['runner', 'work', 'home'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const commands = ['GITHUB_ENV', 'GITHUB_OUTPUT', 'GITHUB_STATE'];
  const all = (text: string, ...paths: readonly string[]) =>
    Object.fromEntries(paths.map((path) => [path, text]));
  writeFiles(root, { 'bots/agents/linked.toml': 'original' });
  writeFiles(RUNNER, {
    ...all(
      'CANARY',
      ...['path', 'other', 'summary'].map((name) => `elsewhere/_runner_file_commands/${name}`),
    ),
    ...all('CANARY', ...commands.map((name) => `_temp/_runner_file_commands/${name}`)),
    ...all('CANARY', '_temp/key.pem', '_temp/_github_workflow/event.json'),
    ...all('original', '_actions/org/other/v1/dist/index.js', '_tool/node/24/bin/node'),
  });
  writeFiles(REALHOME, {
    ...all(
      'CANARY',
      '.aws/credentials',
      '.docker/config.json',
      '.netrc',
      '.ssh/id_ed25519',
      '.npmrc',
    ),
    ...all('CANARY', '.config/gh/hosts.yml', '.kube/config', '.env'),
    ...all('original', '.bashrc', '.local/bin/harmless', '.cargo/bin/cargo'),
  });
  writeFiles(WORK, {
    ...all(
      'original',
      '.github/workflows/ci.yml',
      'action.yml',
      'axe/agents/bot.toml',
      'prompts/skill.md',
    ),
    ...all('original', '.git/config', '.git/config.worktree', '.git/hooks/pre-commit'),
    ...all('original', 'tools/axe/action.yml', 'tools/axe/dist/post.js'),
    ...all('CANARY', 'docs/mem/bot.md', '.env', 'service-account.json', 'gha-creds-1.json'),
    'src/a.txt': 'a',
  });
  symlinkSync(join(root, 'bots'), join(WORK, 'bots'));
  const env = {
    GITHUB_PATH: join(RUNNER, 'elsewhere/_runner_file_commands/path'),
    GITHUB_STEP_SUMMARY: join(RUNNER, 'elsewhere/_runner_file_commands/summary'),
    ...Object.fromEntries(
      commands.map((name) => [name, join(RUNNER, '_temp/_runner_file_commands', name)]),
    ),
    PATH: [join(REALHOME, '.local/bin'), join(REALHOME, '.cargo/bin'), PATH].join(':'),
    HOME: REALHOME,
    RUNNER_TEMP: join(RUNNER, '_temp'),
    RUNNER_TOOL_CACHE: join(RUNNER, '_tool'),
    GITHUB_EVENT_PATH: join(RUNNER, '_temp/_github_workflow/event.json'),
    GOOGLE_APPLICATION_CREDENTIALS: join(WORK, 'gha-creds-1.json'),
    GITHUB_TOKEN: 'CANARY',
  };
  const readOnly = [join(RUNNER, '_actions/org/axe-action/v1'), join(WORK, 'tools/axe')];
  const memory = [join(WORK, 'docs/mem')];
  const places = jailPlaces({
    env,
    workspace: WORK,
    paths: {
      denied: protectedPaths(env).denied,
      readOnly,
      memory,
      readOnlyNow: () => [join(WORK, 'prompts/skill.md')],
    },
    instructionFolders: ['axe/agents', 'axe/skills', 'bots/agents', 'bots/skills'].map((name) =>
      join(WORK, name),
    ),
    privateFolder: await privateFolder(),
    writesHome: false,
    credentials: await untrackedCredentials(WORK, env),
  });
  await makeReserved(places);
  const programs = safePrograms(env.PATH, [WORK]);
  return { root, WORK, env, programs, places, names: { RUNNER, WORK, REALHOME } };
}

/** Every file below a folder with its content, by its path. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const files = entries.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(files.map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]));
}

/**
 * What the `sudo` for root plays: beside its session and its environment it builds the jail of
 * root's way, which plays all.
 */
const OF_SESSION: readonly string[] = [
  'reads environments of all processes',
  'reads the environment of the parent',
  'prints its environment',
  'gains rights',
  'ends every process',
  'stays when it has ended',
  'speaks to what starts it',
];

function attacksOn({ kind, uid }: JailWay) {
  const isRootAgain = kind === 'sudo' && uid === 0;
  return JAIL_ATTACKS.filter(({ name }) => !isRootAgain || OF_SESSION.includes(name));
}

it('what a `sudo` for root plays is in the list of attacks', () => {
  expect(JAIL_ATTACKS.map(({ name }) => name)).toEqual(expect.arrayContaining([...OF_SESSION]));
});

// A machine that lacks a way says so in the list of tests.
for (const { kind, reason } of absentWays())
  it.skip(`attacks on a jail by ${kind}: not on this machine, ${reason}`, () => {});

describe.each(waysHere().map((one) => [one.way.kind, one] as const))(
  'a jail by %s holds',
  (_, { way, path }) => {
    it.each(attacksOn(way).map((attack) => [attack.name, attack] as const))(
      'when a command %s',
      async (_name, { command }) => {
        const { root, WORK, env, programs, places, names } = await scene(path());
        const before = [...filesIn(root)].filter(([file]) => !FREE.test(file));
        const commandJail = createCommandJail(way, programs, () => places);
        const jail = isolated(commandJail, way);
        const given = Object.entries(names).map(([name, value]) => `export ${name}='${value}'`);
        const limits = { cwd: WORK, timeoutMs: 60_000, maxOutputBytes: 50_000 };
        const request = { command: `${given.join('\n')}\n${command}`, ...limits };
        const { signal } = new AbortController();
        const { output, timedOut } = await createShell(env, async () => jail)(request, signal);
        expect({ timedOut, output }).toEqual({
          timedOut: false,
          output: expect.not.stringMatching(/CANARY|ESCAPED/),
        });
        const after = [...filesIn(root)].filter(([file]) => !FREE.test(file));
        expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before));
        expect(processesIn(root)).toEqual([]);
      },
    );
  },
);
