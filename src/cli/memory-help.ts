import type { Flag } from './flags.js';
import type { CommandHelp } from './help.js';

/** Where a memory is, for every command. */
const WHERE: readonly Flag[] = [
  { name: 'agents-dir', kind: 'string', about: 'Look for the agent in this folder first' },
  {
    name: 'dir',
    kind: 'string',
    about: 'A folder with memory, for example .axe/memory of a checkout; not that of this machine',
  },
  {
    name: 'repo',
    kind: 'string',
    about: 'Memory on a branch of this repository (owner/name), through GitHub',
  },
  { name: 'branch', kind: 'string', about: 'The branch', shown: 'axe-memory' },
  { name: 'path', kind: 'string', about: 'Folder on the branch, as the input `memory-path` names it' },
];
const LISTING: readonly Flag[] = [
  {
    name: 'lane',
    kind: 'string',
    about: 'trusted or untrusted',
    shown: 'trusted',
    choices: ['trusted', 'untrusted'],
  },
  { name: 'last', kind: 'int', about: 'Show at most this many, the newest' },
  { name: 'raw', kind: 'bool', about: 'In a terminal too, show entries as in a pipe' },
  { name: 'json', kind: 'bool', about: 'Print JSON' },
];

export const MEMORY_COMMANDS: readonly CommandHelp[] = [
  {
    usage: 'memory show <agent> [id]',
    short: 'Show what an agent remembers, or one entry or note',
    long: [
      'Show the entries of an agent, the newest first, its notes and what became of its findings; or one entry or note',
      'with all it says. In a terminal entries have relative dates and the width of the window; --raw shows them as a',
      'pipe gets them.',
    ].join('\n'),
    flags: [...WHERE, ...LISTING],
    examples: ['memory show reviewer --last 5', 'memory show reviewer --repo octo-org/octo-repo'],
  },
  {
    usage: 'memory search <agent> <words>',
    short: 'Find entries and lines of notes that contain every given word',
    long: 'Find the entries and the lines of notes that contain every given word. Upper and lower case are the same.',
    flags: [...WHERE, ...LISTING],
  },
  {
    usage: 'memory remember <agent> <text>',
    short: 'Add an entry of your own',
    long: 'Add an entry of your own to what trusted runs load.',
    flags: WHERE,
  },
  {
    usage: 'memory forget <agent> <id>',
    short: 'Take an entry or a note out, for good',
    long: [
      'Take an entry out of both lanes, for good. The first six characters of an id are enough. In place of an id, the path',
      'of a note deletes that note.',
    ].join('\n'),
    flags: [
      ...WHERE,
      {
        name: 'purge',
        kind: 'bool',
        about: 'Drop older versions too: the history of the branch axe-memory, the .bak of a file',
      },
    ],
  },
  {
    usage: 'memory promote <agent> <id>',
    short: 'Make an entry of the untrusted lane a trusted one',
    long: 'Make an entry of the untrusted lane one that trusted runs load. Read it first: `memory show <agent> <id>`.',
    flags: WHERE,
  },
];

export const MEMORY_HELP: CommandHelp = {
  usage: 'memory',
  short: 'See, correct and remove what agents remember',
  long: 'See, correct and remove what agents remember: on this machine, in a folder, or on a branch of a repository.',
  flags: [],
};
