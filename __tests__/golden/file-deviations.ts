import type { Deviation } from './deviation.js';
import type { Outcome } from './replay.js';

const NO_FILES = '--- Files (0) ---\n(none)\n';

/** With and without patterns of context files. */
const NO_WORKDIR: Deviation = {
  because: 'a `--workdir` that is not there ends the run, whatever it is for',
  instead: () => ({
    exit: 2,
    stdout: '',
    stderr: 'the folder "/no/such" of `--workdir` is not there\n',
  }),
};

/** What we do with context files otherwise than axe (scenario 22). */
export const FILE_DEVIATIONS: Readonly<Record<string, Deviation>> = {
  '22/01': shows(
    'the file `..odd` is in the workdir; fences are longer than those inside; text is UTF-8',
    (text) => withOddFile(withLongFence(asUtf8(text))),
  ),
  '22/02': longFence(),
  '22/04': shows(
    '`**` leaves out .git; the file `..odd` is in the workdir; fences are longer than those inside; text is UTF-8',
    (text) => withOddFile(withoutGit(withLongFence(asUtf8(text)))),
  ),
  '22/10': longFence(),
  '22/17': longFence(),
  '22/21': shows('no link leads out of the workdir', (text) =>
    text
      .replace(section('linkdir/secret.txt', 'txt', 'SECRET'), '')
      .replace('--- Files (1) ---\nlinkdir/secret.txt\n', NO_FILES),
  ),
  '22/24': showsOne(
    'the file `..odd` is in the workdir',
    '..odd',
    section('..odd', 'odd', 'dotdot file'),
  ),
  '22/29': shows('fences are longer than those inside; text is UTF-8', (text) =>
    withLongFence(asUtf8(text)),
  ),
  '22/34': {
    because: 'fences are longer than those inside',
    instead: ({ requests }) => ({
      requests: requests.map((request) => ({
        ...request,
        system: withLongFence(request.system ?? ''),
      })),
    }),
  },
  '22/37': NO_WORKDIR,
  '22/38': NO_WORKDIR,
  '22/40': {
    because: "today's axe takes `~` for the home folder",
    instead: ({ stderr }) => ({ stderr: stderr.replace('$ROOT/work/~', '$ROOT/home/x') }),
  },
  '22/41': showsOne(
    'the path of the workdir is not part of the pattern',
    'a.md',
    section('a.md', 'md', 'in bracket dir'),
  ),
};

function shows(because: string, change: (stdout: string) => string): Deviation {
  return { because, instead: ({ stdout }: Outcome) => ({ stdout: change(stdout) }) };
}

function longFence(): Deviation {
  return shows('fences are longer than those inside', withLongFence);
}

function showsOne(because: string, path: string, added: string): Deviation {
  return shows(because, (text) =>
    text.replace('\nSP\n', `\nSP${added}\n`).replace(NO_FILES, `--- Files (1) ---\n${path}\n`),
  );
}

/** The section of the system prompt with one file. */
function section(path: string, language: string, content: string): string {
  return `\n\n---\n\n## Context Files\n\n### ${path}\n\`\`\`${language}\n${content}\n\`\`\``;
}

/** axe prints the bytes of the files as they are; where they are not UTF-8, we print U+FFFD. */
function asUtf8(text: string): string {
  return Buffer.from(text.slice('latin1:'.length), 'latin1').toString('utf8');
}

function withLongFence(text: string): string {
  return text.replace(
    '### fence.md\n```md\n```js\ncode\n```\n\n```',
    '### fence.md\n````md\n```js\ncode\n```\n\n````',
  );
}

function withOddFile(text: string): string {
  return text
    .replace('### .hidden\n', '### ..odd\n```odd\ndotdot file\n```\n\n### .hidden\n')
    .replace(
      /--- Files \((\d+)\) ---\n/,
      (_all, count: string) => `--- Files (${Number(count) + 1}) ---\n..odd\n`,
    );
}

function withoutGit(text: string): string {
  return text
    .replace('### .git/config\n```\n[core]\n\n```\n\n', '')
    .replace(
      /--- Files \((\d+)\) ---\n\.git\/config\n/,
      (_all, count: string) => `--- Files (${Number(count) - 1}) ---\n`,
    );
}
