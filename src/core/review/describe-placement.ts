import type { Finding } from '../findings/finding.js';
import { shown } from '../text/shown.js';
import { type DiffLines, findFile, formatRanges } from './diff-lines.js';
import type { PlacedFinding } from './place.js';

/** Tells the model where its finding will be, and how to write it to be elsewhere. */
export function describePlacement(placed: PlacedFinding, lines: DiffLines): string {
  const { finding, placement } = placed;
  switch (placement.kind) {
    case 'line': {
      const { path, side, line, startLine, about } = placement;
      const range = startLine === undefined ? `line ${line}` : `lines ${startLine}-${line}`;
      const code = findFile(lines, path)?.[side].get(line)?.text ?? '';
      const place = `${range} of ${shown(path)} (${side}), which reads ${shown(code.trim())}`;
      if (about === undefined) return `it will be shown at ${place}.`;
      return `line ${about} is not part of the diff; it will be shown at ${place}, and say "(${aboutLines(finding)})". ${commentable(lines, finding)}`;
    }
    case 'body':
      return `it will be listed in the review's text, because ${whyInBody(placed)}. ${commentable(lines, finding)}`.trimEnd();
  }
}

/** `about line 40`, `about lines 40-44`: for a comment that cannot stand there. */
export function aboutLines({ line, startLine, side }: Finding): string {
  const range = startLine === undefined ? `line ${line}` : `lines ${startLine}-${line}`;
  return side === 'LEFT' ? `about ${range} of the old version` : `about ${range}`;
}

/** The lines of a finding's file that can carry a comment, or the files that can; for the model. */
export function commentable(lines: DiffLines, { path, side }: Pick<Finding, 'path' | 'side'>): string {
  const file = findFile(lines, path);
  if (file === undefined) return filesWithLines(lines);
  const other = side === 'LEFT' ? 'RIGHT' : 'LEFT';
  const used = file[side].size > 0 ? side : other;
  if (file[used].size === 0) return '';
  return `Lines that can carry a comment (${used}): ${formatRanges(file, used)}.`;
}

function whyInBody({ finding, placement }: PlacedFinding): string {
  const reason = placement.kind === 'body' ? placement.reason : 'too-far';
  switch (reason) {
    case 'unknown-file':
      return `${shown(finding.path)} is not part of the diff`;
    case 'no-lines':
      return `${shown(finding.path)} has no lines in the diff (it is binary, a submodule, or was only renamed)`;
    case 'too-far':
      return `line ${finding.line} is not part of the diff, and nothing near it is`;
  }
}

const MAX_FILES = 20;

function filesWithLines(lines: DiffLines): string {
  const paths = [...lines.values()].flatMap(({ path, LEFT, RIGHT }) =>
    LEFT.size + RIGHT.size > 0 ? [path] : [],
  );
  if (paths.length === 0) return 'No file of this diff can carry a comment.';
  const more = paths.length > MAX_FILES ? `, and ${paths.length - MAX_FILES} more` : '';
  return `Files that can carry a comment: ${paths.slice(0, MAX_FILES).map(shown).join(', ')}${more}.`;
}
