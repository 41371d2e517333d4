import { COMMITTED_FOLDER } from '../core/defaults.js';
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
  { name: 'path', kind: 'string', about: 'Folder on the branch' },
  { name: 'scope', kind: 'string', about: 'Sub-folder, as the input `memory-scope` names it' },
  { name: 'cache', kind: 'bool', about: 'Print how to reach memory in the Actions cache' },
];
const LANE: Flag = {
  name: 'lane',
  kind: 'string',
  about: 'trusted or untrusted',
  shown: 'trusted',
  choices: ['trusted', 'untrusted'],
};
const LAST: Flag = { name: 'last', kind: 'int', about: 'Show at most this many, the newest' };
const RAW: Flag = { name: 'raw', kind: 'bool', about: 'In a terminal too, show entries as in a pipe' };
const JSON_FLAG: Flag = { name: 'json', kind: 'bool', about: 'Print JSON' };

/** The commands of `memory`, as help shows them. */
export const MEMORY_COMMANDS: readonly CommandHelp[] = [
  {
    usage: 'memory show <agent> [id]',
    short: 'Show what an agent remembers, or one entry',
    long: 'Show the entries of an agent, the newest first, or one entry or note with all it says. In a terminal entries have\nrelative dates and the width of the window; --raw shows them as a pipe gets them.',
    flags: [...WHERE, LANE, LAST, RAW, JSON_FLAG],
    examples: ['memory show reviewer --last 5', 'memory show reviewer --repo octo-org/octo-repo'],
  },
  {
    usage: 'memory search <agent> <words>',
    short: 'Find entries that contain every given word',
    long: 'Find the entries whose task or result contains every given word, newest first. Upper and lower case are the same.',
    flags: [...WHERE, LANE, LAST, RAW, JSON_FLAG],
  },
  {
    usage: 'memory notes <agent> [path]',
    short: 'List the notes an agent keeps, or show one',
    long: 'List the notes that an agent keeps besides its entries, or show one with all it says. `memory edit` changes a note,\n`memory forget` deletes it.',
    flags: WHERE,
    examples: ['memory notes keeper', 'memory notes keeper MEMORY.md'],
  },
  {
    usage: 'memory verify <agent>',
    short: 'Look for what is wrong with a memory',
    long: [
      'Look for damaged entries, duplicate ids and texts, provenance that does not match, entries out of order, and',
      'forgotten entries that are still there. The exit status is 1 if anything is found.',
    ].join('\n'),
    flags: [...WHERE, JSON_FLAG],
  },
  {
    usage: 'memory stats <agent>',
    short: 'Count the findings that people acted on or dismissed',
    long: [
      'Count findings that were acted on, dismissed or left without an answer, by category and by month, from the state',
      'file next to the memory. No model is asked.',
    ].join('\n'),
    flags: [...WHERE, JSON_FLAG],
  },
  {
    usage: 'memory forget <agent> <id>',
    short: 'Take an entry out, for good',
    long: [
      'Take an entry out of both lanes and note that it stays out, so that no copy elsewhere brings it back. An id may be',
      'cut to its first characters, six or more.',
    ].join('\n'),
    flags: [
      ...WHERE,
      {
        name: 'purge',
        kind: 'bool',
        about: 'Drop older versions too: the history of a memory branch, the .bak of a file',
      },
    ],
  },
  {
    usage: 'memory edit <agent> <id>',
    short: 'Change an entry or a note',
    long: [
      'Change task and result of an entry in the editor that the environment variable VISUAL or EDITOR names, or its result',
      'with --text. Time, place and provenance stay; the entry gets a new id, and the old one is forgotten. In place of an',
      'id, the path of a note changes that note; changes by others at that time are kept.',
    ].join('\n'),
    flags: [...WHERE, LANE, { name: 'text', kind: 'string', about: 'The new result, without an editor' }],
  },
  {
    usage: 'memory remember <agent> [text]',
    short: 'Add an entry of your own',
    long: 'Add an entry of your own: the text, or what you write in the editor that VISUAL or EDITOR names.',
    flags: [...WHERE, { name: 'text', kind: 'string', about: 'The text; the same as giving it last' }],
  },
  {
    usage: 'memory promote <agent> <id>',
    short: 'Make an entry of the untrusted lane a trusted one',
    long: 'Make an entry of the untrusted lane one that trusted runs load. Read it first: `memory show <agent> <id>`.',
    flags: WHERE,
  },
  {
    usage: 'memory export <agent>',
    short: 'Write a memory to a file',
    long: 'Write the run log as it is to standard output or a new file; with --all everything to a new folder, without naming an agent.',
    flags: [
      ...WHERE,
      LANE,
      { name: 'out', kind: 'string', about: 'A file, or with --all a folder', shown: 'standard output' },
      { name: 'all', kind: 'bool', about: 'Everything there is: all agents, lanes and states' },
    ],
  },
  {
    usage: 'memory import <agent> <file>',
    short: 'Merge the entries of a file into a memory',
    long: 'Merge the entries of a file (- for standard input) by their ids. What was forgotten stays forgotten.',
    flags: [...WHERE, LANE],
  },
  {
    usage: 'memory push',
    short: 'Commit and push the memory of a checkout',
    long: [
      'Commit what has changed in a folder of a checkout since HEAD, and push it. If someone else pushed in between, both',
      'sides are merged by entry and it is pushed again. Nothing else of the checkout is committed.',
    ].join('\n'),
    flags: [
      { name: 'dir', kind: 'string', about: 'The folder', shown: COMMITTED_FOLDER },
      { name: 'branch', kind: 'string', about: 'The branch', shown: 'the one that is checked out' },
    ],
  },
  {
    usage: 'memory merge <base> <ours> <theirs> [path]',
    short: 'Merge two versions of a memory file, for git',
    long: [
      'Merge the changes that two versions of a memory file have made since a third, and write the result to <ours>. As a',
      "merge driver of git: git config merge.axe-memory.driver 'axe-action memory merge %O %A %B %P', and in the file",
      '.git/info/attributes the line: .axe/memory/** merge=axe-memory',
    ].join('\n'),
    flags: [],
  },
];

/** How the group is shown in help. */
export const MEMORY_HELP: CommandHelp = {
  usage: 'memory',
  short: 'See, correct and remove what agents remember',
  long: 'See, correct and remove what agents remember: on this machine, in a folder, or on a branch of a repository.',
  flags: [],
};
