import { describe, expect, it } from '@jest/globals';
import { expandBraces } from '../../src/lib/text/glob.js';
import { pickGuidance } from '../../src/prompt/guidance.js';
import { pickPathInstructions } from '../../src/prompt/path-instructions.js';

const PATH = '.github/instructions/code.instructions.md';

function pick(content: string, changed = ['src/a.ts', 'docs/b.md'], isReview = true) {
  const { files, warnings } = pickPathInstructions([{ path: PATH, content }], {
    changed,
    isReview,
  });
  return { texts: files.map((file) => file.content), warnings: warnings.map((w) => w.message) };
}

const front = (...lines: readonly string[]) => ['---', ...lines, '---', 'Be kind.', ''].join('\n');
const READ = (patterns: string) => ({ texts: [`For ${patterns}:\n\nBe kind.`], warnings: [] });
const LEFT_OUT = { texts: [], warnings: [] };

describe('instructions for paths', () => {
  it.each([
    ['a glob', front('applyTo: "src/**/*.ts"'), READ('`src/**/*.ts`')],
    ['single quotes', front("applyTo: 'src/*.ts'"), READ('`src/*.ts`')],
    ['no quotes, and a comment', front('applyTo: src/*.ts # code'), READ('`src/*.ts`')],
    ['several globs', front('applyTo: "lib/**, docs/*.md"'), READ('`lib/**`, `docs/*.md`')],
    ['braces', front('applyTo: "**/*.{ts,tsx},x"'), READ('`**/*.{ts,tsx}`, `x`')],
    ['everything by one star', front('applyTo: "*"'), READ('`*`')],
    ['everything by two', front('applyTo: "**"'), READ('`**`')],
    ['everything by a path', front('applyTo: "**/*"'), READ('`**/*`')],
    ['keys that we do not know', front('description: [x', 'applyTo: "**"', ': :'), READ('`**`')],
    [
      'another excluded agent',
      front('applyTo: "**"', 'excludeAgent: "coding-agent"'),
      READ('`**`'),
    ],
    ['Windows line ends', front('applyTo: "**"').replaceAll('\n', '\r\n'), READ('`**`')],
    ['a byte order mark', `\uFEFF${front('applyTo: "**"')}`, READ('`**`')],
    ['a glob for other files', front('applyTo: "lib/**"'), LEFT_OUT],
    ['no applyTo', front('description: x'), LEFT_OUT],
    ['an empty applyTo', front('applyTo: ""'), LEFT_OUT],
    ['no front matter', 'Be kind.\n', LEFT_OUT],
    ['reviews excluded', front('applyTo: "**"', 'excludeAgent: "code-review"'), LEFT_OUT],
  ])('with %s', (_, content, expected) => {
    expect(pick(content)).toEqual(expected);
  });

  it('that exclude reviews hold for other runs', () => {
    const content = front('applyTo: "**"', 'excludeAgent: "code-review"');
    expect(pick(content, ['a.ts'], false)).toEqual(READ('`**`'));
  });

  it.each([
    [
      'front matter without an end',
      '---\napplyTo: "**"\nBe kind.\n',
      [],
      /front matter has no end/,
    ],
    ['a malformed glob', front('applyTo: "[a, src/**"'), [expect.anything()], /invalid glob/],
  ])('with %s are a warning, and the rest is read', (_, content, texts, warning) => {
    const picked = pick(content);
    expect(picked.texts).toEqual(texts);
    expect(picked.warnings).toEqual([expect.stringMatching(warning)]);
    const more = {
      path: '.github/instructions/more.instructions.md',
      content: front('applyTo: "**"'),
    };
    const about = { changed: ['src/a.ts'], isReview: true };
    const { files } = pickGuidance([{ path: PATH, content }, more, file('AGENTS.md')], about);
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['AGENTS.md', more.path]));
  });

  it('come between the general guidance and that of folders, by path', () => {
    const one = (name: string) => ({
      path: `.github/instructions/${name}.instructions.md`,
      content: front('applyTo: "**"'),
    });
    const all = [
      file('REVIEW.md'),
      file('src/AGENTS.md'),
      one('z'),
      one('sub/a'),
      file('AGENTS.md'),
    ];
    const { files } = pickGuidance(all, { changed: ['src/a.ts'], isReview: true });
    expect(files.map(({ path }) => path)).toEqual([
      'AGENTS.md',
      one('sub/a').path,
      one('z').path,
      'src/AGENTS.md',
      'REVIEW.md',
    ]);
  });

  it('over the budget are cut before what is nearer', () => {
    const long = { path: PATH, content: front('applyTo: "**"') + 'x y '.repeat(5000) };
    const nested = file('src/AGENTS.md', 'Keep me.');
    const { files, warnings } = pickGuidance([long, nested], {
      changed: ['src/a.ts'],
      isReview: true,
    });
    expect(files[1]).toEqual(nested);
    expect(files[0]?.content).toContain('of this file are left out.]');
    expect(warnings).toHaveLength(1);
  });

  it('are not the target of a link, whose text is a path', () => {
    const about = { changed: ['a.ts'], isReview: true };
    expect(pickGuidance([file(PATH, '../../evil.md')], about)).toEqual({ files: [], warnings: [] });
  });
});

function file(path: string, content = `Words of ${path}.`) {
  return { path, content };
}

it.each([
  ['a.ts', ['a.ts']],
  ['*.{ts,tsx}', ['*.ts', '*.tsx']],
  ['{a,b}/{c,d}', ['a/c', 'a/d', 'b/c', 'b/d']],
  ['{a,{b,c}}x', ['ax', 'bx', 'ax', 'cx']],
  ['{a', ['{a']],
  ['a}', ['a}']],
  ['{}', ['']],
])('the braces of %j mean %j', (pattern, patterns) => {
  expect([...new Set(expandBraces(pattern))]).toEqual([...new Set(patterns)]);
});

it('braces with too many alternatives stay as they are', () => {
  const pattern = '{a,b}'.repeat(30);
  expect(expandBraces(pattern)).toEqual([pattern]);
});
