import { spawn } from 'node:child_process';
import {
  chmodSync,
  type Dirent,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { COMPILED_CODE } from '../helpers/compiled-code.js';
import { type RecordedRequest as PeerRequest, startLoopback } from '../helpers/loopback.js';
import { nodeForOthers, openToOthers } from '../helpers/other-users.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';
import { startRecordedModel } from './recorded-model.js';
import {
  bytesOf,
  filesBefore,
  hasMentionsOnly,
  type RecordedRequest,
  type RecordedText,
  type Scenario,
  type Step,
  type UnrecordedRequests,
} from './scenario.js';
import { readWire, type WireRequest } from './wire.js';

/**
 * What a command did. Entry times read `<time>` and durations `<n>`; places read `$ROOT`,
 * `$SERVER` and `$CLOSED` as in the recording. A text that is not UTF-8 is given as Latin-1 after `latin1:`. What was
 * asked at the same time, and the verbose lines about it, stand in an order of their own.
 */
export interface Outcome {
  /** Undefined when the command was killed because it did not end. */
  readonly exit: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly WireRequest[];
  /** What was added to each file; any other change of a file is described in words. */
  readonly writes: Readonly<Record<string, string>>;
}

/** What axe did at a step. Texts of which only words were recorded are matchers, and so are unrecorded requests. */
export function recordedOutcome(step: Step): Outcome {
  return {
    exit: step.exit,
    stdout: expected(step.stdout, withoutDurations),
    stderr: expected(step.stderr, (text) => talkInOrder(step, withoutDurations(text))),
    requests: requestsInOrder(step, (step.requests ?? []).flatMap(expectedRequests)),
    writes: Object.fromEntries([
      ...Object.entries(step.writes ?? {}).map(([path, text]) => [
        path,
        expected(text, withoutTimes),
      ]),
      ...Object.entries(step.rewrites ?? {}).map(([path, text]) => [
        path,
        `(rewritten) ${expected(text, withoutTimes)}`,
      ]),
    ]),
  };
}

/** The command line as it is shipped. */
const BUILT_CLI = fileURLToPath(new URL('../../dist/cli/index.js', import.meta.url));

/**
 * Runs one step of a scenario with the command line, called `axe`, from the files axe found there. One step of each
 * scenario starts the built program, and so does each that needs a process: to read standard input, to be another
 * user or to start an editor. The others run in this process, in a tenth of the time.
 */
export async function replay(scenario: Scenario, step: Step): Promise<Outcome> {
  const root = tempDir('golden');
  const read = (request: PeerRequest) => readRequest(request, places);
  const server = await startRecordedModel(step, read);
  const places: Places = { root, server: server.url, closed: await closedPort() };
  const before = writeScenario(scenario, step, places);
  setModes(scenario, places.root);
  try {
    const isBuilt = step === scenario.steps[0] || needsProcess(step);
    const ended = await (isBuilt ? runBuilt(step, places) : runHere(step, places));
    return {
      exit: ended.exit,
      stdout: withoutDurations(observed(ended.stdout, places)),
      stderr: talkInOrder(step, withoutDurations(observed(ended.stderr, places))),
      requests: requestsInOrder(step, server.requests().map(read)),
      writes: writesSince(before, places, scenario),
    };
  } finally {
    for (const path of Object.keys(scenario.modes ?? {})) chmodSync(join(places.root, path), 0o755);
    await server.close();
  }
}

/** What `$ROOT`, `$SERVER` and `$CLOSED` stand for. */
interface Places {
  readonly root: string;
  readonly server: string;
  readonly closed: string;
}

/** A host and port that was free a moment ago. */
async function closedPort(): Promise<string> {
  const peer = await startLoopback(() => {});
  await peer.close();
  return new URL(peer.url).host;
}

function readRequest({ path, headers, body }: PeerRequest, places: Places): WireRequest {
  const key = headers['x-api-key'] ?? headers['authorization']?.replace(/^Bearer /, '');
  return readWire({ path, key, body: JSON.parse(unplaced(JSON.stringify(body ?? null), places)) });
}

function writeScenario(
  scenario: Scenario,
  step: Step,
  places: Places,
): ReadonlyMap<string, Buffer> {
  chmodSync(places.root, 0o755);
  for (const folder of ['home', 'work', ...(scenario.folders ?? [])]) {
    mkdirSync(join(places.root, folder), { recursive: true });
  }
  const files = new Map(
    [...filesBefore(scenario, step)].map(([path, bytes]) => [path, placed(bytes, places)]),
  );
  writeFiles(places.root, Object.fromEntries(files));
  for (const [path, target] of Object.entries(scenario.links ?? {})) {
    if (files.has(path)) continue;
    symlinkSync(target, join(places.root, path));
    files.set(path, linkTo(target));
  }
  return files;
}

function setModes(scenario: Scenario, root: string): void {
  for (const [path, mode] of Object.entries(scenario.modes ?? {})) {
    chmodSync(join(root, path), Number.parseInt(mode, 8));
  }
}

/** What every step of every recording was started with. */
const COMMON_ENVIRONMENT: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: 'test-key',
  OPENAI_API_KEY: 'test-key',
  AXE_ANTHROPIC_BASE_URL: '$SERVER',
  AXE_OPENAI_BASE_URL: '$SERVER',
  AXE_OLLAMA_BASE_URL: '$SERVER',
  HOME: '$ROOT/home',
  XDG_CONFIG_HOME: '$ROOT/config',
  XDG_DATA_HOME: '$ROOT/data',
  NO_PROXY: '127.0.0.1',
  PATH: '/usr/bin:/bin',
};

/** After this long a command is taken to hang. */
const HANG_MS = 30_000;

interface Ended {
  readonly exit: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

function needsProcess({ stdin, uid, args }: Step): boolean {
  return stdin !== 'null' || uid !== undefined || args.includes('edit');
}

/** The arguments and the environment of a step. */
function startOf(step: Step, places: Places) {
  const place = (text: string) => placed(Buffer.from(text), places).toString();
  const env: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries({ ...COMMON_ENVIRONMENT, ...step.env }).flatMap(([name, value]) =>
      value === null ? [] : [[name, place(value)]],
    ),
  );
  return { args: step.args.map(place), env, cwd: join(places.root, 'work') };
}

async function runHere(step: Step, places: Places): Promise<Ended> {
  const { args, env, cwd } = startOf(step, places);
  const { output, talk, ...terminal } = createFakeTerminal({ env, cwd });
  const exit = await main(args, { ...terminal, program: 'axe' });
  return { exit, stdout: Buffer.from(output()), stderr: Buffer.from(talk()) };
}

function runBuilt(step: Step, places: Places): Promise<Ended> {
  const { args, env, cwd } = startOf(step, places);
  const asUser =
    step.uid !== undefined && process.getuid?.() === 0 ? { uid: step.uid, gid: step.uid } : {};
  const isOther = 'uid' in asUser;
  const node = isOther ? nodeForOthers() : process.execPath;
  const program = isOther ? join(openToOthers(dirname(BUILT_CLI)), basename(BUILT_CLI)) : BUILT_CLI;
  const child = spawn(node, [calledAxe(program), ...args], {
    cwd,
    // axe is compiled; ours would keep its compiled code in the home that is compared.
    env: {
      ...(isOther ? { NODE_DISABLE_COMPILE_CACHE: '1' } : COMPILED_CODE),
      ...env,
    },
    stdio: [step.stdin === 'null' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    timeout: HANG_MS,
    killSignal: 'SIGKILL',
    ...asUser,
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A command that ends before it reads its input closes the pipe; that is not a problem of the test.
  child.stdin?.on('error', () => {});
  if (step.stdin !== 'null')
    child.stdin?.end(bytesOf('text' in step.stdin ? step.stdin.text : step.stdin));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({
        exit: code ?? undefined,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr),
      }),
    );
  });
}

/** Texts that name the program name it as it was started. */
function calledAxe(cli: string): string {
  const folder = tempDir('bin');
  chmodSync(folder, 0o755);
  symlinkSync(cli, join(folder, 'axe'));
  return join(folder, 'axe');
}

function writesSince(
  before: ReadonlyMap<string, Buffer>,
  places: Places,
  scenario: Scenario,
): Record<string, string> {
  for (const path of Object.keys(scenario.modes ?? {})) chmodSync(join(places.root, path), 0o755);
  const writes: Record<string, string> = {};
  const now = filesBelow(places.root);
  for (const path of before.keys()) if (!now.has(path)) writes[path] = '(deleted)';
  for (const [path, bytes] of now) {
    const old = before.get(path) ?? Buffer.alloc(0);
    if (bytes.equals(old) && before.has(path)) continue;
    const isAppend = bytes.subarray(0, old.length).equals(old);
    const added = withoutTimes(observed(isAppend ? bytes.subarray(old.length) : bytes, places));
    writes[path] = isAppend ? added : `(rewritten) ${added}`;
  }
  return writes;
}

function filesBelow(root: string): ReadonlyMap<string, Buffer> {
  const entries = entriesBelow(root).filter((entry) => !entry.isDirectory());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [
        relative(root, path),
        entry.isSymbolicLink() ? linkTo(readlinkSync(path)) : readFileSync(path),
      ];
    }),
  );
}

/** A symbolic link is among the files with these bytes. */
function linkTo(target: string): Buffer {
  return Buffer.from(`a link to ${target}`);
}

function expectedRequests(request: RecordedRequest | UnrecordedRequests): readonly WireRequest[] {
  if (!('unrecorded' in request)) return [readWire(request)];
  return Array.from(
    { length: request.unrecorded },
    () => expect.anything() as unknown as WireRequest,
  );
}

/** Sorts what a step asks at the same time, and leaves everything else where it is. */
function requestsInOrder(step: Step, requests: readonly WireRequest[]): readonly WireRequest[] {
  const sorted = [...requests];
  for (const numbers of step.together ?? []) {
    const places = numbers.map((number) => number - 1).filter((place) => place < requests.length);
    const group = places.flatMap((place) => requests[place] ?? []).toSorted(byText);
    for (const [index, request] of group.entries()) sorted[places[index] ?? 0] = request;
  }
  return sorted;
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** Sorts neighbouring lines of the same kind about sub-agents that were called at the same time. */
function talkInOrder(step: Step, text: string): string {
  if (step.together === undefined) return text;
  return text.replace(
    /(?:^\[sub-agent\] Calling .*\n){2,}|(?:^\[sub-agent\] ".*" completed .*\n){2,}/gm,
    (lines) =>
      lines
        .split(/(?<=\n)/)
        .toSorted()
        .join(''),
  );
}

function expected(text: RecordedText, normalize: (text: string) => string): string {
  if (!hasMentionsOnly(text)) return normalize(decoded(bytesOf(text)));
  const words = text.mentions.map(
    (word) => `(?=[^]*${word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')})`,
  );
  return expect.stringMatching(new RegExp(`^${words.join('')}`)) as unknown as string;
}

function observed(bytes: Buffer, places: Places): string {
  return unplaced(decoded(bytes), places);
}

function withoutTimes(text: string): string {
  return text.replace(/^((?:latin1:)?## )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/gm, '$1<time>');
}

function withoutDurations(text: string): string {
  return text
    .replace(/^Duration: \d+ms$/gm, 'Duration: <n>ms')
    .replace(/^(\[sub-agent\] ".*" completed in )\d+ms/gm, '$1<n>ms')
    .replace(/^(\[retry\] .* waiting )\d+ms$/gm, '$1<n>ms')
    .replace(/^\{"content":.*$/gm, (line) =>
      line.replaceAll(/"duration_ms":\d+/g, '"duration_ms":<n>'),
    );
}

function decoded(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : `latin1:${bytes.toString('latin1')}`;
}

function placed(bytes: Buffer, places: Places): Buffer {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) return bytes;
  return Buffer.from(
    text
      .replaceAll('$ROOT', places.root)
      .replaceAll('$SERVER', places.server)
      .replaceAll('$CLOSED', places.closed),
  );
}

function unplaced(text: string, places: Places): string {
  return text
    .replaceAll(places.root, '$ROOT')
    .replaceAll(places.server, '$SERVER')
    .replaceAll(places.closed, '$CLOSED');
}

/** Everything below a folder; links are listed and not entered, which Node's own recursion does in some versions. */
function entriesBelow(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry, ...entriesBelow(join(folder, entry.name))] : [entry],
  );
}
