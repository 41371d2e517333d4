import type { SourcePosition } from './errors.js';

/** Everything the program may warn about, with the titles of annotations (`::warning title=…`). */
export const WARNING_TITLES = {
  'agent-unknown-key': 'Unknown key in the agent',
  'agent-unused-key': 'Key without effect in the agent',
  'agent-changed-in-pull-request': 'The pull request changes the agent',
  'tool-not-available': 'Tool not available',
  /** Commands can change what programs of later steps read in the home folder. */
  'home-writable': 'Commands write the home folder',
  'mcp-server': 'MCP server',
  'artifacts-lost': 'Artifacts not kept',
  'context-file-skipped': 'Context file left out',
  'context-truncated': 'Context cut to fit',
  /** What the run is about was not read as it should be: not, not whole, or at another commit. */
  'context-incomplete': 'Context not complete',
  /** Something around the event that the token cannot read. */
  'context-unread': 'Context not read',
  'memory-load-failed': 'Memory not loaded',
  'memory-truncated': 'Memory loaded in part',
  'memory-max-entries': 'Memory is long',
  'memory-file-large': 'A file of memory is large',
  'memory-save-failed': 'Memory not saved',
  'memory-store-notice': 'Where memory lives',
  'memory-outdated': 'Notes that may be outdated',
  'memory-damaged': 'A file of memory is damaged',
  'model-warning': 'Model',
  'answer-truncated': 'Answer cut short',
  'not-verified': 'Findings without a second look',
  'publish-failed': 'Not done on GitHub',
  'input-invalid': 'Input',
};

/**
 * Something a person should know although the run goes on. The terminal prints `message` to stderr, a
 * workflow shows it as an annotation (D35).
 */
export interface Warning {
  readonly code: keyof typeof WARNING_TITLES;
  /** What happened, and where. */
  readonly message: string;
  /** What to do about it, in whole sentences. */
  readonly remedy?: string | undefined;
  readonly at?: SourcePosition | undefined;
}

const MAX_ANNOTATIONS = 9;

/**
 * Warnings merged by code for the runner, which shows ten annotations of a kind per step: at most nine, and a
 * failed save is never among those left out (D35).
 */
export function mergeWarnings(warnings: readonly Warning[]): readonly Warning[] {
  const isSame = (one: Warning, other: Warning) =>
    one.code === other.code && one.message === other.message && one.remedy === other.remedy;
  const unique = warnings.filter((one, at) => warnings.findIndex((other) => isSame(one, other)) === at);
  const groups = [...new Set(warnings.map(({ code }) => code))].map((code): Warning => {
    const group = unique.filter((warning) => warning.code === code);
    return { code, message: linesOf(group).join('\n'), at: group[0]?.at };
  });
  const isFailedSave = ({ code }: Warning) => code === 'memory-save-failed';
  const others = groups.filter((group) => !isFailedSave(group));
  return [...groups.filter(isFailedSave), ...others].slice(0, MAX_ANNOTATIONS);
}

/** One missing permission fails several things, and each of them names it: a remedy is shown once. */
function linesOf(group: readonly Warning[]): readonly string[] {
  const shown = new Set<string>();
  return group.map((warning) => {
    const { message, remedy } = warning;
    if (remedy === undefined) return message;
    const isShown = shown.has(remedy);
    shown.add(remedy);
    return isShown ? `${message.replace(/\.$/, '')}.` : warningText(warning);
  });
}

/** A warning for people. axe ends such a message without a full stop; with a remedy behind it, it needs one. */
export function warningText({ message, remedy }: Pick<Warning, 'message' | 'remedy'>): string {
  return remedy === undefined ? message : `${message.replace(/\.$/, '')}. ${remedy}`;
}
