import { cleanLine } from '../lib/text/cut.js';
import type { DiffFile } from '../lib/text/diff.js';

/**
 * Whether a line holds a comment that claims a check nobody can see in it: "already validated", "reviewed by security". Such
 * comments talk reviewing models out of true findings (ALIBI, arXiv 2607.24964).
 */
export function claimsCheck(line: string): boolean {
  const comment = COMMENT.exec(line)?.groups?.['text'];
  return comment !== undefined && CLAIM.test(comment);
}

/** The added lines of a diff that claim a check, as `path:line`. */
export function claimedChecks(files: readonly DiffFile[]): readonly string[] {
  return files.flatMap(({ path, hunks }) =>
    hunks
      .flatMap(({ lines }) => lines)
      .flatMap((line) =>
        line.kind === 'added' && claimsCheck(line.text)
          ? [`${cleanLine(path, MAX_PATH)}:${line.newLine}`]
          : [],
      ),
  );
}

const MAX_PATH = 200;

/** From the mark that begins a comment, in the common languages, to the end of its line. */
const COMMENT = /(?:(?<!:)\/\/|\/\*|<!--|"""|'''|^\s*\*\s|(?:^|\s)(?:#|--|;+)\s)(?<text>.+)/;

const DONE = '(?:validated|saniti[sz]ed|escaped|verified|authenticated|authori[sz]ed|vetted|audited)';
const CLAIM = new RegExp(
  [
    `\\b(?:already|previously|just|pre-?)\\s*(?:been\\s+)?(?:${DONE}|checked)\\b`,
    `\\b${DONE}\\s+(?:above|before|earlier|upstream|elsewhere|by (?:the )?(?:caller|callers|framework|middleware|gateway|proxy|router|orm|security|appsec|schema))\\b`,
    '\\b(?:reviewed|approved|cleared|signed[ -]off) by (?:the |our )?(?:security|appsec|infosec|compliance|legal|audit|maintainers?)\\b',
    '\\b(?:no|not) (?:further |additional )?(?:validation|saniti[sz]ation|escaping|authori[sz]ation|permission check|check|checks) (?:is |are )?(?:needed|required|necessary)\\b',
    '\\b(?:no need|not necessary|unnecessary) to (?:validate|saniti[sz]e|escape|verify|check)\\b',
    '\\b(?:validation|saniti[sz]ation|escaping|authori[sz]ation) (?:is |was )?(?:done|handled|performed|enforced|happens) (?:above|before|earlier|upstream|elsewhere|by)\\b',
    '\\b(?:is|are) (?:therefore |always |known to be |guaranteed to be )?(?:safe|trusted)\\b',
    '\\btrusted (?:input|source|data)\\b|\\b(?:known|security) false positive\\b|\\bnot (?:exploitable|attacker[- ]controlled)\\b',
  ].join('|'),
  'i',
);
