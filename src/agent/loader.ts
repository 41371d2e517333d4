import { basename, dirname, isAbsolute } from 'node:path';
import { MAX_AGENT_BYTES, MAX_CONTEXT_BYTES } from '../lib/defaults.js';
import { AxeError, ConfigError } from '../lib/errors.js';
import { grouped } from '../lib/text/number.js';
import type { ContextFile } from '../prompt/context.js';
import { isSecretPath } from '../tools/files/path-rules.js';
import type { AgentHome, AgentLibrary, AgentPlace, AgentReader, Found, LoadedAgent } from './agent-source.js';
import { BUILT_IN_PREFIX, findBuiltInAgent } from './built-in.js';
import { parseError, type TomlSource, tooLarge } from './fault.js';
import { parseAgent } from './inspect.js';
import { agentNotFound, checkAgentName, skillNotFound } from './name.js';

export interface ListedFile {
  /** What the agent is asked for by. */
  readonly name: string;
  /** For people and annotations. */
  readonly file: string;
}

/** An agent's file, not yet read as one. */
export interface AgentFile extends ListedFile {
  /** The same with repository and ref; `built-in` for ours. */
  readonly source: string;
  readonly text: string;
  readonly home?: AgentHome;
}

export interface AgentLoader extends AgentLibrary {
  /** The folders that are searched, in their order. */
  readonly folders: readonly string[];
  /** By name, or by a path that ends in `.toml`; built-in ones too. Throws a ConfigError. */
  openAgent(name: string): Promise<AgentFile>;
  /** Of agents with one name the one that is loaded; without the built-in ones. */
  listFiles(): Promise<readonly ListedFile[]>;
  /** The same with what they are. */
  listAgents(): Promise<readonly ListedAgent[]>;
  findSkill(path: string, agent?: { readonly home?: AgentHome | undefined }): Promise<FoundSkill>;
  /** {@link AgentReader.count} in the first place. */
  countFiles(pattern: string, workdir: string): Promise<number | undefined>;
}

export interface ListedAgent {
  /** What it is asked for by: the name of its file. */
  readonly id: string;
  readonly description: string;
  readonly file: string;
  /** Why it cannot be used; undefined if it can. */
  readonly error: AxeError | undefined;
}

interface FoundSkill {
  readonly path: string;
  readonly text: string;
}

const EXTENSION = '.toml';

type Places = readonly [AgentPlace, ...AgentPlace[]];

/**
 * Finds agents in several places, one after the other, and what belongs to an agent where it is from. `shared` is
 * another repository, whose agents take the place of all others but the built-in ones, and never their context files.
 */
export function createAgentLoader(own: Places, shared?: () => Promise<AgentPlace>): AgentLoader {
  const [first] = own;
  const openPlaces = async (): Promise<Places> => (shared === undefined ? own : [await shared()]);

  async function openAgent(name: string): Promise<AgentFile> {
    const builtIn = findBuiltInAgent(name);
    if (builtIn !== undefined) return { name, file: name, source: 'built-in', text: builtIn.toml };
    const places = await openPlaces();
    const isBuiltIn = name.startsWith(BUILT_IN_PREFIX) && !name.endsWith(EXTENSION);
    for (const place of isBuiltIn ? [] : places) {
      const found = await findAgent(name, place);
      if (found !== undefined) return found;
    }
    throw await missingAgent(name, places);
  }

  async function findSkill(
    path: string,
    agent?: { readonly home?: AgentHome | undefined },
  ): Promise<FoundSkill> {
    const homes = agent === undefined ? (await openPlaces()).flatMap(homesIn) : homesOf(agent.home);
    const isName = !/[\\/]/.test(path) && !path.endsWith('.md');
    const tried: string[] = [];
    for (const { place, parent } of homes) {
      const { reader } = place;
      const file = reader.resolve(isName ? `skills/${path}/SKILL.md` : path, parent);
      const folder = isAbsolute(path) ? undefined : parent;
      const found = await reader.read(file, { maxBytes: MAX_CONTEXT_BYTES, folder });
      if (found.kind !== 'missing') return { path: file, text: skillText(path, reader.show(file), found) };
      tried.push(reader.show(file));
    }
    throw await missingSkill(path, homes, tried);
  }

  async function loadAgent(name: string): Promise<LoadedAgent> {
    const { file, source, text, home } = await openAgent(name);
    return { name, ...parseAgent(text, { name, file }), source, home };
  }

  /** Where files for an agent are looked for: where it is from, unless that is another repository. */
  function placesFor(agent: LoadedAgent | undefined): readonly AgentPlace[] {
    const place = agent?.home?.place;
    return place !== undefined && place.repository === undefined ? [place] : own;
  }

  async function listFiles(): ReturnType<AgentLoader['listFiles']> {
    const files = new Map<string, string>();
    for (const { reader, folders } of await openPlaces()) {
      for (const folder of folders) {
        for (const name of await agentsIn(reader, folder)) {
          if (!files.has(name)) files.set(name, reader.file(reader.resolve(name + EXTENSION, folder)));
        }
      }
    }
    return [...files].map(([name, file]) => ({ name, file }));
  }

  return {
    folders: first.folders.map((folder) => first.reader.file(folder)),
    openAgent,
    findSkill,
    loadAgent,
    loadSkill: async (path, agent) => (path === '' ? '' : (await findSkill(path, agent)).text),
    async loadContextFiles(patterns, workdir, agent) {
      if (patterns.length === 0) return { files: [], warnings: [] };
      let found: Awaited<ReturnType<AgentReader['find']>> = { files: [], warnings: [] };
      for (const { reader } of placesFor(agent)) {
        if (found.files.length === 0) found = await reader.find(patterns, workdir);
      }
      return found;
    },
    async loadGuidance(paths, agent) {
      let found: readonly ContextFile[] = [];
      for (const { reader } of placesFor(agent)) {
        // Where the base is read from GitHub, the files of this machine may be the head's.
        const isBase = first.reader.isLocal || !reader.isLocal;
        if (found.length === 0 && isBase) found = await reader.texts(paths);
      }
      return found;
    },
    listFiles,
    async listAgents() {
      const listed: ListedAgent[] = [];
      for (const { name: id, file } of await listFiles()) {
        try {
          const { description } = (await loadAgent(id)).config;
          listed.push({ id, description, file, error: undefined });
        } catch (thrown) {
          if (!(thrown instanceof AxeError)) throw thrown;
          listed.push({ id, description: '', file, error: thrown });
        }
      }
      return listed;
    },
    countFiles: (pattern, workdir) => first.reader.count(pattern, workdir),
  };
}

/** Throws a ConfigError for a name that cannot be one (D5), and for a file that cannot be read. */
async function findAgent(name: string, place: AgentPlace): Promise<AgentFile | undefined> {
  const { reader, folders } = place;
  const isPath = name.endsWith(EXTENSION);
  if (!isPath) checkAgentName(name);
  const paths = isPath
    ? [reader.resolve(name)]
    : folders.map((folder) => reader.resolve(name + EXTENSION, folder));
  for (const path of isPath ? paths : []) checkAgentName(basename(path, EXTENSION));
  const all = await Promise.all(paths.map((path) => reader.read(path, { maxBytes: MAX_AGENT_BYTES })));
  for (const [index, path] of paths.entries()) {
    const found = all[index];
    if (found === undefined || found.kind === 'missing') continue;
    if (reader.isLocal && !isPath && !(await isOnlyOne(path, reader))) continue;
    const file = reader.file(path);
    const text = decodeAgent(agentBytes(found, { name, file }), { name, file });
    return { name, file, source: reader.show(path), text, home: { place, parent: dirname(dirname(path)) } };
  }
  return undefined;
}

function agentBytes(found: Exclude<Found, { kind: 'missing' }>, source: { name: string; file: string }) {
  switch (found.kind) {
    case 'file':
      return found.bytes;
    case 'outside':
      throw new ConfigError(
        `the file of the agent "${source.name}" leads out of the workspace: ${JSON.stringify(source.file)}`,
        { remedy: 'In a workflow, use a path inside the repository, and not a link that leads out of it.' },
      );
    case 'folder':
    case 'refused':
      if (found.size !== undefined) throw parseError(source, tooLarge(`${grouped(found.size)} bytes`));
      throw new ConfigError(`failed to read agent config "${source.name}": ${found.reason}`, {
        at: { file: source.file },
        remedy: 'An agent is a readable text file.',
      });
  }
}

/** Whether the file has this name in this case. Throws a ConfigError for agents whose names differ in case alone (D5). */
async function isOnlyOne(path: string, reader: AgentReader): Promise<boolean> {
  const folder = dirname(path);
  const name = basename(path, EXTENSION);
  const names = await agentsIn(reader, folder);
  if (!names.includes(name)) return false;
  const twin = names.find((other) => other !== name && other.toLowerCase() === name.toLowerCase());
  if (twin === undefined) return true;
  throw twinError(name, twin, reader.file(folder));
}

/** Of two agents of a folder whose names differ in case alone (D5). */
export function twinError(name: string, twin: string, folder: string): ConfigError {
  return new ConfigError(`agents "${name}" and "${twin}" in ${folder} differ only in case`, {
    remedy: 'Rename one of them: some file systems treat both names as one, and so would their memory.',
  });
}

async function agentsIn(reader: AgentReader, folder: string): Promise<readonly string[]> {
  const files = (await reader.list(folder)).filter((file) => file.endsWith(EXTENSION));
  return files.map((file) => file.slice(0, -EXTENSION.length));
}

/** The error for an agent that is nowhere; it names every one there is, so that a typing mistake is seen at once. */
async function missingAgent(name: string, places: Places): Promise<ConfigError> {
  const known = places.flatMap(({ reader, folders }) => folders.map((folder) => agentsIn(reader, folder)));
  return agentNotFound(name, {
    places: places.map(({ reader, folders }) => reader.where(folders)),
    known: (await Promise.all(known)).flat(),
  });
}

/** Where the skill of an agent is looked for. A repository cannot put its own under an agent of the user's. */
function homesOf(home: AgentHome | undefined): readonly AgentHome[] {
  if (home === undefined) return [];
  const { place, parent } = home;
  const { configDir } = place;
  return configDir === undefined || configDir === parent ? [home] : [home, { place, parent: configDir }];
}

/** Where a skill is looked for that no agent of the place names; the configuration folder is above the last of the folders. */
function homesIn(place: AgentPlace): readonly AgentHome[] {
  return [...new Set(place.folders.map((folder) => dirname(folder)))].map((parent) => ({ place, parent }));
}

function skillText(path: string, file: string, found: Exclude<Found, { kind: 'missing' }>): string {
  if (found.kind === 'outside') {
    throw new ConfigError(
      `skill ${JSON.stringify(path)} leads out of the folders that skills are read from`,
      {
        remedy: 'Put the skill next to the agents, for example in `axe/skills/`, or give its absolute path.',
      },
    );
  }
  if (found.kind !== 'file') {
    const { reason, size } = found;
    if (size === undefined) {
      throw new ConfigError(`failed to read skill: ${reason}`, {
        remedy: `\`${file}\` must be a readable text file. Name the file: \`…/SKILL.md\`.`,
      });
    }
    const sizes = `has ${grouped(size)} bytes; the limit is ${grouped(MAX_CONTEXT_BYTES)}`;
    throw new ConfigError(`failed to read skill: ${file} ${sizes}`, {
      remedy: 'Keep the skill short, and move long texts to context files (`files`).',
    });
  }
  // By whatever name or link: the untrusted lane of memory and git's own folder must not become instructions (D47).
  const isSecret = isSecretPath(found.path.split(/[\\/]/));
  if (isSecret || found.isMemory) {
    const reason = isSecret ? 'credentials may be kept there' : 'memory is kept there';
    throw new ConfigError(`skill ${JSON.stringify(path)} is out of bounds: ${reason}`, {
      remedy: 'Put the skill next to the agents, for example in `axe/skills/`.',
    });
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(found.bytes);
}

/** The place axe would have looked at is in the message; the others, and what is there, in the remedy. */
async function missingSkill(
  path: string,
  homes: readonly AgentHome[],
  tried: readonly string[],
): Promise<ConfigError> {
  const local = homes.filter(({ place }) => place.reader.isLocal);
  const known = (await Promise.all(local.map(skillsIn))).flat();
  const [nearest] = local;
  const axes = nearest?.place.reader.resolve(path, nearest.place.configDir ?? nearest.parent);
  const places = [...new Set(tried)].map((file) => `\`${file}\``);
  return skillNotFound(path, { places, known: [...new Set(known)] }, axes);
}

/** The skills of a folder, as agents name them: their `SKILL.md`, or the text that has the wrong name. */
async function skillsIn({ place: { reader }, parent }: AgentHome): Promise<readonly string[]> {
  const folder = reader.resolve('skills', parent);
  const skills = (await reader.list(folder)).map(async (name) => {
    const texts = (await reader.list(reader.resolve(name, folder))).filter((file) => file.endsWith('.md'));
    const text = texts.find((file) => file === 'SKILL.md') ?? texts[0];
    return text === undefined ? [] : [`skills/${name}/${text}`];
  });
  return (await Promise.all(skills)).flat();
}

const LINE_FEED = 0x0a;
const SAVE_AS_UTF8 = 'Save the file as UTF-8.';

/**
 * The text of an agent file. A byte order mark is left out. Throws a ConfigError for files over MAX_AGENT_BYTES, UTF-16
 * and bytes that are not UTF-8.
 */
export function decodeAgent(bytes: Uint8Array, source: TomlSource): string {
  if (bytes.length > MAX_AGENT_BYTES) throw parseError(source, tooLarge(`${grouped(bytes.length)} bytes`));
  if (isUtf16(bytes)) {
    throw parseError(source, { message: 'the file is UTF-16, not UTF-8', remedy: SAVE_AS_UTF8 }, { line: 1 });
  }
  try {
    return decodeStrictly(bytes);
  } catch {
    const line = firstBadLine(bytes);
    throw parseError(source, { message: 'invalid UTF-8', remedy: SAVE_AS_UTF8 }, { line });
  }
}

/** A UTF-16 mark, or a NUL among the first two bytes, which no TOML file begins with. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return false;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || first === 0 || second === 0;
}

/** Throws a TypeError for invalid bytes. */
function decodeStrictly(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** A line feed is never part of a longer character, so the lines can be tried one by one. */
function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    const stop = end < 0 ? bytes.length : end;
    try {
      decodeStrictly(bytes.subarray(start, stop));
    } catch {
      return line;
    }
    start = stop + 1;
  }
  return line;
}
