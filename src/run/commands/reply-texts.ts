export const DRY_RUN_TEXT = 'Dry run: nothing was changed.';

export function formatPaused(agent: string, isPaused: boolean): string {
  const state = isPaused ? 'paused' : 'no longer paused';
  return `Runs of \`${agent}\` on this pull request are ${state}.`;
}

/** `phrase` is the workflow's own for questions; empty for none. */
export function formatHelpReply(commands: string, phrase: string): string {
  if (phrase === '') return commands;
  return `${commands}\nA question can also begin with \`${phrase}\`.`;
}
