// Starts the fakes of GitHub, with the repositories that are named, and of the cache service. Says in a line of JSON where they are, and after each line on
// standard input how many requests each got since.
import { createInterface } from 'node:readline';
import { startCacheServer } from '../../__tests__/helpers/cache-server.js';
import { GITHUB_TOKEN, startGitHubServer } from '../../__tests__/helpers/github-server.js';

const [github, cache] = await Promise.all([startGitHubServer({ validate: false }), startCacheServer()]);
for (const name of process.argv.slice(2)) {
  github.addRepo(`octocat/${name}`, { contents: 'write' });
  github.commit(`octocat/${name}`, { 'README.md': '# Hello\n' });
}
let seen = { github: 0, cache: 0 };

say({ ...github.env, ...cache.env({ ref: 'refs/heads/main' }), GITHUB_TOKEN });
for await (const _ of createInterface({ input: process.stdin })) {
  const now = { github: github.requests().length, cache: cache.requests().length };
  say({ github: now.github - seen.github, cache: now.cache - seen.cache });
  seen = now;
}
process.exit(0);

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
