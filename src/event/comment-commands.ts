import { findMention } from './mention.js';
import type { Trigger } from './trigger.js';

/** A command that a comment can begin with, as people read it. */
interface CommentCommand {
  readonly name: string;
  /** Each way to write it, in code. */
  readonly forms: readonly string[];
  readonly place: string;
  /** The people who can use it; left out for those with write access. */
  readonly people?: string;
  /** One or two sentences. */
  readonly effect: string;
  /** Only these commands ask a model. */
  readonly asksModel?: true;
}

/**
 * All commands of comments: what a mistyped word is compared with, and the table of
 * `docs/reference/commands.md`.
 */
export const COMMENT_COMMANDS: readonly CommentCommand[] = [
  {
    name: 'ask',
    forms: ['/axe ask <question>'],
    place: 'issues and pull requests',
    people: 'anybody who can start a run',
    effect: 'The agent answers.',
    asksModel: true,
  },
  {
    name: 'review',
    forms: ['/axe review', '/axe review full'],
    place: 'pull requests',
    effect: 'An agent that posts reviews looks at what is new, or at the whole pull request.',
    asksModel: true,
  },
  {
    name: 'dismiss',
    forms: ['/axe dismiss [reason]', '/axe dismiss <name> [reason]'],
    place: 'in the conversation of a finding; with its name (`FQ7K2`) anywhere on the pull request',
    effect:
      'The finding is wrong or unwanted: it is not raised again on this line, on any pull request.',
  },
  {
    name: 'done',
    forms: ['/axe done', '/axe done <name>'],
    place: 'as `dismiss`',
    effect: 'The finding is settled. It is not raised again while its line stays as it is.',
  },
  {
    name: 'reopen',
    forms: ['/axe reopen', '/axe reopen <name>'],
    place: 'as `dismiss`',
    effect: 'Opens a dismissed or settled finding again.',
  },
  {
    name: 'fix',
    forms: ['/axe fix', '/axe fix <name>', '/axe fix all'],
    place: 'as `dismiss`',
    effect:
      'Changes the code so that the finding is gone, and commits that on the pull request; `all`: a commit for each open one.',
    asksModel: true,
  },
  {
    name: 'test',
    forms: ['/axe test', '/axe test <name>'],
    place: 'as `dismiss`',
    effect: 'Shows the finding by a test. One that it has already is only run again.',
    asksModel: true,
  },
  {
    name: 'pause',
    forms: ['/axe pause'],
    place: 'pull requests',
    effect:
      'Pauses automatic reviews of the pull request. A label, a review request or a comment still starts one.',
  },
  {
    name: 'resume',
    forms: ['/axe resume'],
    place: 'pull requests',
    effect: 'Lets paused runs start again.',
  },
  {
    name: 'forget',
    forms: ['/axe forget <id>'],
    place: 'issues and pull requests',
    effect: 'Removes an entry from memory.',
  },
  {
    name: 'remember',
    forms: ['/axe remember <text>'],
    place: 'issues and pull requests',
    effect: 'Adds an entry to memory.',
  },
  {
    name: 'promote',
    forms: ['/axe promote <id>'],
    place: 'issues and pull requests',
    effect: 'Approves an entry that was kept apart, so that later runs read it.',
  },
  {
    name: 'help',
    forms: ['/axe help', '/axe'],
    place: 'issues and pull requests',
    people: 'triage access or more, or anybody who can start a run',
    effect: 'Answers with this list.',
  },
];

/** A line of the list that `/axe help` answers, short enough for a phone. */
interface HelpLine {
  readonly commands: readonly string[];
  readonly text: string;
  /** Only workflows with `changes-allowed` can do it. */
  readonly needsChanges?: true;
}

const HELP: readonly HelpLine[] = [
  { commands: ['review'], text: '`/axe review` — review what is new (`review full`: everything)' },
  { commands: ['ask'], text: '`/axe ask why is this a float?` — answer a question' },
  {
    commands: ['dismiss'],
    text: '`/axe dismiss it is a test` — close a finding: wrong or unwanted',
  },
  {
    commands: ['done', 'reopen'],
    text: '`/axe done` · `/axe reopen` — settle a finding, or open it again',
  },
  {
    commands: ['fix'],
    text: '`/axe fix` — commit a fix for a finding (`fix all`: for each one)',
    needsChanges: true,
  },
  { commands: ['test'], text: '`/axe test` — show a finding by a test' },
  {
    commands: ['pause', 'resume'],
    text: '`/axe pause` · `/axe resume` — stop runs here, allow them again',
  },
  {
    commands: ['remember', 'forget'],
    text: '`/axe remember text` · `/axe forget id` — add to memory, remove',
  },
  { commands: ['promote'], text: '`/axe promote id` — approve a memory entry that was kept apart' },
];

/** The commands that a workflow can do, as a list: GitHub shows no table on a phone. */
export function listForHelp(allowsChanges: boolean): string {
  const lines = HELP.filter(({ needsChanges }) => allowsChanges || needsChanges !== true);
  return [
    'Begin a comment with one of these. All but `ask` need write access.',
    '',
    ...lines.map(({ text }) => `- ${text}`),
    '',
    "Outside a finding's conversation, name it: `/axe dismiss FM3T8`.",
  ].join('\n');
}

/** The question of a comment that begins with `/axe ask`; undefined for any other comment. */
export function askedQuestion(trigger: Trigger): string | undefined {
  if (trigger.kind !== 'comment' || !ASK.test(trigger.body.replaceAll(/\r\n?/g, '\n')))
    return undefined;
  return findMention(trigger.body, '/axe ask');
}

const ASK = /^(?:[ \t]*\n)* {0,3}\/axe ask(?:[ \t\n]|$)/i;

/** The table of `docs/reference/commands.md`. @internal */
export function formatCommandTable(): string {
  const rows = COMMENT_COMMANDS.map(
    ({ forms, place, people = 'write access', effect, asksModel }) => [
      forms.map((form) => `\`${form}\``).join(', '),
      asksModel === true ? `${effect} Asks the model.` : effect,
      place,
      people,
    ],
  );
  const head = ['Command', 'What it does', 'Where', 'Who may use it'];
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
