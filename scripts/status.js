// The sentences of the README about what nobody but a person with an account or a key can show.
import { existsSync, readFileSync } from 'node:fs';

/** The status by the JSON next to the two pages; "never" until there is one. */
export function readStatus() {
  return formatStatus({
    reports: readJson('docs/verified-on-github.json'),
    score: readJson('docs/score.json'),
  });
}

export function formatStatus({ reports, score }) {
  const verified = reports?.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1);
  const onGitHub =
    verified === undefined
      ? 'On github.com: never ([verify it](CONTRIBUTING.md#verify-it-on-github-ten-minutes), ten minutes).'
      : `On github.com: [verified](docs/verified-on-github.md) on ${verified.at.slice(0, 10)} with version ${verified.version}.`;
  const withModel =
    score === undefined
      ? 'Figures of a real model: never ([measure yours](docs/evaluation.md#measure-a-public-set), an hour).'
      : `Figures of a real model: [${score.model}](docs/score.md) on ${score.date} with version ${score.version} ([what they mean](docs/evaluation.md)).`;
  return `${onGitHub} ${withModel}`;
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
