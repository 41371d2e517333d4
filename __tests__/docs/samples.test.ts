import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

it('the page about garbage collection shows a summary as a run writes it', () => {
  const [, sample = ''] = /^````markdown\n(.*?)\n````$/ms.exec(read('docs/garbage-collection.md')) ?? [];
  // The transcript's model also mentions a person, and its times differ from run to run.
  const written = read('__tests__/fixtures/transcripts/garbage-collection-in-a-workflow.txt')
    .replace(' <code>@octocat</code> should know.', '')
    .replaceAll('<seconds>', '6.2 s');
  expect(sample).toContain('**Trimmed:');
  expect(written).toContain(`\n${sample}\n`);
});
