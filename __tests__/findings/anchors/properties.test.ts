import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_PUBLISH_RULES } from '../../../src/findings/buffered-publications.js';
import {
  type CommentableLines,
  commentableLines,
} from '../../../src/findings/change/diff-lines.js';
import { fold } from '../../../src/findings/change/quote.js';
import { findAnchor, type NamedLines } from '../../../src/findings/decide/anchor.js';
import { linesOfDiff, ShownFiles } from '../../../src/findings/decide/evidence.js';
import { CATEGORIES } from '../../../src/findings/finding.js';
import { PublicationBuffer } from '../../../src/findings/publication-buffer.js';
import { parseDiff, type Side } from '../../../src/lib/text/diff.js';
import { scopeRest } from '../change.js';
import { ledgerOf } from '../threads.js';
import { diffOf } from './scene.js';

const TEXTS = ['}', '  return null;', '', 'a = b;', 'send(to, body);', 'const x = open(file);'];

/** A changed file whose lines often read alike, with at least one changed line. */
const rows = fc
  .array(
    fc.record({ mark: fc.constantFrom(' ', ' ', '+', '-'), text: fc.constantFrom(...TEXTS) }),
    {
      minLength: 1,
      maxLength: 60,
    },
  )
  .map((lines) => [...lines.map(({ mark, text }) => `${mark}${text}`), '+last(line, here);']);

const named = fc.record({
  side: fc.constantFrom<Side>('LEFT', 'RIGHT'),
  line: fc.integer({ min: 1, max: 70 }),
  startLine: fc.option(fc.integer({ min: 1, max: 70 }), { nil: undefined }),
  quoted: fc.array(fc.constantFrom(...TEXTS, 'nowhere(in, it);'), { minLength: 1, maxLength: 3 }),
});

interface Scene {
  readonly diff: string;
  readonly lines: CommentableLines;
  readonly shown: ShownFiles;
}

function sceneOf(changed: readonly string[]): Scene {
  const diff = diffOf('f.ts', changed);
  return {
    diff,
    lines: commentableLines(diff),
    shown: new ShownFiles(linesOfDiff(parseDiff(diff))),
  };
}

function textsOf({ lines }: Scene, side: Side, first: number, last: number): readonly string[] {
  const numbered = [...(lines.get('f.ts')?.[side] ?? [])];
  return numbered
    .filter(([number]) => number >= first && number <= last)
    .map(([, { text }]) => fold(text));
}

const foldedOf = (quoted: readonly string[]) => quoted.map(fold).filter((line) => line !== '');

it('a finding is found only on lines of which one was quoted', () => {
  fc.assert(
    fc.property(rows, named, (changed, { quoted, ...place }) => {
      const scene = sceneOf(changed);
      const wanted: NamedLines = { path: 'f.ts', code: quoted.join('\n'), ...place };
      const anchor = findAnchor(wanted, scene.lines, scene.shown);
      const parts = foldedOf(quoted);
      if (anchor.kind !== 'found' || parts.length === 0) return;
      const { side, line, startLine = line } = anchor;
      const texts = textsOf(scene, side, startLine, line);
      expect(parts.some((part) => texts.includes(part))).toBe(true);
    }),
  );
});

it('a quote that says little never leaves its number', () => {
  fc.assert(
    fc.property(
      rows,
      named,
      fc.constantFrom('}', 'return null;', 'a = b;'),
      (changed, place, code) => {
        const scene = sceneOf(changed);
        const { side, startLine = place.line } = place;
        const anchor = findAnchor({ path: 'f.ts', ...place, code }, scene.lines, scene.shown);
        if (anchor.kind !== 'found') return;
        const numbers = [place.line, startLine];
        const right = numbers.map((number) => scene.lines.get('f.ts')?.LEFT.get(number)?.other);
        expect([...numbers, ...(side === 'LEFT' ? right : [])]).toContain(anchor.line);
      },
    ),
  );
});

it('a suggestion can be committed only in place of exactly the lines that were quoted', () => {
  fc.assert(
    fc.property(rows, named, (changed, { quoted, ...place }) => {
      const scene = sceneOf(changed);
      const wanted: NamedLines = { path: 'f.ts', code: quoted.join('\n'), ...place };
      const anchor = findAnchor(wanted, scene.lines, scene.shown);
      if (anchor.kind !== 'found' || !anchor.isExact) return;
      const { side, line, startLine = line } = anchor;
      const texts = textsOf(scene, side, startLine, line).filter((text) => text !== '');
      expect(texts).toEqual(foldedOf(quoted));
    }),
  );
});

it('a suggestion for two lines of which one was quoted cannot be committed', () => {
  const { lines, shown } = sceneOf(['+const x = open(file);', '+send(to, body);']);
  const wanted: NamedLines = {
    path: 'f.ts',
    side: 'RIGHT',
    startLine: 1,
    line: 2,
    code: 'send(to, body);',
  };
  const place = { kind: 'found', startLine: 1, line: 2 };
  expect(findAnchor(wanted, lines, shown)).toMatchObject({ ...place, isExact: false });
  const whole = { ...wanted, code: 'const x = open(file);\nsend(to, body);' };
  expect(findAnchor(whole, lines, shown)).toMatchObject({ ...place, isExact: true });
});

it('every finding that was taken or asked about is in one list at the end', () => {
  const request = fc.record({ named, isInFile: fc.boolean(), isRight: fc.boolean() });
  fc.assert(
    fc.property(rows, fc.array(request, { maxLength: CATEGORIES.length }), (changed, requests) => {
      const scene = sceneOf(changed);
      scene.shown.show([{ path: 'g.ts', side: 'RIGHT', firstLine: 1, lines: TEXTS }]);
      const review = { ...scopeRest(), ...scene, ledger: ledgerOf([]) };
      const rules = { ...DEFAULT_PUBLISH_RULES, minSeverity: 'nit' } as const;
      const buffer = new PublicationBuffer({ rules, review, subject: 42 });
      for (const [index, { named: place, isInFile, isRight }] of requests.entries()) {
        const { quoted, ...rest } = place;
        const line = isRight ? 3 : rest.line;
        const impact = { effect: 'failure', reach: 'common', trigger: 'Seen.' } as const;
        const { kind, text } = buffer.addComment({
          ...rest,
          ...impact,
          line,
          path: isInFile ? 'f.ts' : 'g.ts',
          code: quoted.join('\n'),
          title: `Word${index}`,
          body: 'It is wrong.',
          category: CATEGORIES[index] ?? 'other',
        });
        expect([kind, text]).toEqual([expect.stringMatching(/taken|refused/), expect.any(String)]);
      }
      const { findings, preexisting } = buffer.buffered;
      const titles = [...findings.map(({ finding }) => finding), ...preexisting].map(
        ({ title }) => title,
      );
      expect(titles.toSorted()).toEqual(requests.map((_, index) => `Word${index}`).toSorted());
    }),
  );
});
