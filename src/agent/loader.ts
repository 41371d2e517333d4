import { basename, dirname, isAbsolute } from 'node:path';
import { MAX_AGENT_BYTES, MAX_CONTEXT_BYTES } from '../lib/defaults.js';
import { AxeError, ConfigError, NotFoundError } from '../lib/errors.js';
import { isSecretPath } from '../safety/path-rules.js';
import type {
  AgentHome,
  AgentLibrary,
  AgentPlace,
  AgentReader,
  FoundFile,
  LoadedAgent,
} from './agent-source.js';
import { BUILT_IN_AGENTS, BUILT_IN_PREFIX, findBuiltInAgent } from './built-in.js';
import type { ContextFile } from './context-files.js';
import { parseAgent, parseError } from './inspect.js';
import { byNearness, closestWord } from './suggest.js';

/** An agent's file, not yet read as one. */
export interface AgentFile {
  /** What the agent is asked for by. */
  readonly name: string;
  /** For people and annotations. */
  readonly file: string;
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
  listFiles(): Promise<readonly Pick<AgentFile, 'name' | 'file'>[]>;
  /** The same with what they are. */
  listAgents(): Promise<readonly ListedAgent[]>;
  findSkill(
    path: string,
    agent?: { readonly home?: AgentHome },
  ): Promise<{ readonly path: string; readonly text: string }>;
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

const EXTENSION = '.toml';

type Places = readonly [AgentPlace, ...AgentPlace[]];

/**
 * Finds agents in several places, one after the other, and what belongs to an agent where it is
 * from. `shared` is another repository, whose agents take the place of all others but the built-in
 * ones, and never their context files.
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

  const findSkill: AgentLoader['findSkill'] = async (path, agent) => {
    const homes = agent === undefined ? (await openPlaces()).flatMap(homesIn) : homesOf(agent.home);
    const isName = !/[\\/]/.test(path) && !path.endsWith('.md');
    const tried: string[] = [];
    for (const { place, parent } of homes) {
      const { reader } = place;
      const file = reader.resolve(isName ? `skills/${path}/SKILL.md` : path, parent);
      const folder = isAbsolute(path) ? undefined : parent;
      const found = await reader.read(file, { maxBytes: MAX_CONTEXT_BYTES, folder });
      if (found.kind !== 'missing') return { path: file, text: skillText(found) };
      tried.push(reader.show(file));
    }
    const others = tried.slice(0, -1).map((file) => `\`${file}\``);
    throw new NotFoundError('skill', tried.at(-1) ?? path, {
      remedy: `Check the path${others.length === 0 ? '' : `; it is not at ${others.join(' or ')} either`}.`,
    });
  };

  async function loadAgent(name: string): Promise<LoadedAgent> {
    const { file, source, text, home } = await openAgent(name);
    return { name, ...parseAgent(text, { name, file }), source, home };
  }

  /**
   * Where files for an agent are looked for: where it is from, unless that is another repository.
   */
  function placesFor(agent: LoadedAgent | undefined): readonly AgentPlace[] {
    const place = agent?.home?.place;
    return place !== undefined && place.repository === undefined ? [place] : own;
  }

  async function listFiles(): ReturnType<AgentLoader['listFiles']> {
    const files = new Map<string, string>();
    for (const { reader, folders } of await openPlaces()) {
      for (const folder of folders) {
        for (const name of await agentsIn(reader, folder)) {
          if (!files.has(name))
            files.set(name, reader.file(reader.resolve(name + EXTENSION, folder)));
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
    loadSkill: async (path, agent) => (await findSkill(path, agent)).text,
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
  if (isPath) checkAgentName(basename(name, EXTENSION));
  const all = await Promise.all(
    paths.map((path) => reader.read(path, { maxBytes: MAX_AGENT_BYTES })),
  );
  for (const [index, path] of paths.entries()) {
    const found = all[index];
    if (found === undefined || found.kind === 'missing') continue;
    if (reader.isLocal && !isPath && !(await isOnlyOne(path, reader))) continue;
    const file = reader.file(path);
    const text = agentText(found, { name, file });
    return {
      name,
      file,
      source: reader.show(path),
      text,
      home: { place, parent: dirname(dirname(path)) },
    };
  }
  return undefined;
}

function agentText(
  found: Exclude<FoundFile, { kind: 'missing' }>,
  source: { readonly name: string; readonly file: string },
): string {
  if (found.kind === 'refused') {
    throw new ConfigError(`failed to read agent config "${source.name}": ${found.reason}`, {
      at: { file: source.file },
      remedy:
        'An agent is a small text file. In a workflow it lies in the repository, and so do its links.',
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(found.bytes);
  } catch {
    throw parseError(source, 'invalid UTF-8', 'Save the file as UTF-8, not as UTF-16 or Latin-1.');
  }
}

/**
 * Whether the file has this name in this case. Throws a ConfigError for agents whose names differ
 * in case alone (D5).
 */
async function isOnlyOne(path: string, reader: AgentReader): Promise<boolean> {
  const folder = dirname(path);
  const name = basename(path, EXTENSION);
  const names = await agentsIn(reader, folder);
  if (!names.includes(name)) return false;
  const twin = names.find((other) => other !== name && other.toLowerCase() === name.toLowerCase());
  if (twin === undefined) return true;
  throw sameNameError(name, twin, reader.file(folder));
}

/** Of two agents of a folder whose names differ in case alone (D5). */
export function sameNameError(name: string, twin: string, folder: string): ConfigError {
  return new ConfigError(`agents "${name}" and "${twin}" in ${folder} differ only in case`, {
    remedy:
      'Rename one of them: some file systems treat both names as one, and so would their memory.',
  });
}

async function agentsIn(reader: AgentReader, folder: string): Promise<readonly string[]> {
  const files = (await reader.list(folder)).filter((file) => file.endsWith(EXTENSION));
  return files.map((file) => file.slice(0, -EXTENSION.length));
}

const RESERVED = new Set(['memory', 'untrusted', 'projects', 'scratchpad']);

/**
 * Checks an agent's name: it becomes a file name and part of cache keys, so it can never leave its
 * folder (D5). Throws a ConfigError.
 */
export function checkAgentName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    const remedy =
      'A name starts with a letter or digit of ASCII and holds at most 64 of them, dots, underscores and hyphens.';
    throw new ConfigError(`invalid agent name ${JSON.stringify(name)}`, { remedy });
  }
  if (RESERVED.has(name.toLowerCase()) || /^\d{4}-\d{2}-\d{2}$|\.state$/i.test(name)) {
    throw new ConfigError(`agent name "${name}" is reserved`, {
      remedy: 'Memory keeps files of its own under that name; rename the agent file.',
    });
  }
  return name;
}

/** Agents that a message names; the nearest come first. */
const MAX_NAMED = 20;

/**
 * The error for an agent that is nowhere; it names those that exist, so that a typing mistake is
 * seen at once.
 */
async function missingAgent(name: string, places: Places): Promise<NotFoundError> {
  const found = places.flatMap(({ reader, folders }) =>
    folders.map((folder) => agentsIn(reader, folder)),
  );
  const builtIn = BUILT_IN_AGENTS.map((agent) => agent.name);
  const all = [...new Set([...(await Promise.all(found)).flat(), ...builtIn])];
  const meant = builtIn.find((one) => one === BUILT_IN_PREFIX + name) ?? closestWord(name, all);
  const known = byNearness(name, all).slice(0, MAX_NAMED);
  const left = all.length - known.length;
  const remedy = [
    meant === undefined ? '' : `Did you mean \`${meant}\`? `,
    `There are: ${known.map((other) => `\`${other}\``).join(', ')}${left === 0 ? '' : ` and ${left} more`}. `,
    `Searched in ${places.map(({ reader, folders }) => reader.where(folders)).join(' and in ')}.`,
  ];
  return new NotFoundError('agent', name, { remedy: remedy.join('') });
}

/**
 * Where the skill of an agent is looked for. A repository cannot put its own under an agent of the
 * user's.
 */
function homesOf(home: AgentHome | undefined): readonly AgentHome[] {
  if (home === undefined) return [];
  const { place, parent } = home;
  const { configDir } = place;
  return configDir === undefined || configDir === parent
    ? [home]
    : [home, { place, parent: configDir }];
}

/**
 * Where a skill is looked for that no agent of the place names; the configuration folder is above
 * the last of the folders.
 */
function homesIn(place: AgentPlace): readonly AgentHome[] {
  return [...new Set(place.folders.map((folder) => dirname(folder)))].map((parent) => ({
    place,
    parent,
  }));
}

function skillText(found: Exclude<FoundFile, { kind: 'missing' }>): string {
  const reason = found.kind === 'refused' ? found.reason : whyOutOfBounds(found);
  if (found.kind === 'file' && reason === undefined)
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(found.bytes);
  throw new ConfigError(`failed to read skill: ${reason}`, {
    remedy:
      'A skill is a short text file next to the agents, for example `axe/skills/review/SKILL.md`.',
  });
}

/**
 * By whatever name or link: the untrusted lane of memory and git's own folder must not become
 * instructions (D47).
 */
function whyOutOfBounds({
  path,
  isMemory,
}: Extract<FoundFile, { kind: 'file' }>): string | undefined {
  if (isSecretPath(path.split(/[\\/]/)))
    return `${path} is out of bounds: credentials may be kept there`;
  return isMemory ? `${path} is out of bounds: memory is kept there` : undefined;
}
