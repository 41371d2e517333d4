// The licences of the packages that went into a bundle, as their authors wrote them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package's folder, from the path of one of its files. */
const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * Name, licence and its text for each package of which code is in the outputs. A package without a text has that of another
 * one of its repository under the same licence, else its author's name.
 */
export function licensesOf({ outputs }) {
  const folders = new Set();
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const [folder] = FOLDER.exec(file) ?? [];
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
    }
  }
  const packages = [...folders].sort().map(readPackage);
  const texts = packages.map(({ name, license, author, repository, text }) => {
    const sibling = packages.find(
      (other) => other.text !== '' && other.repository === repository && other.license === license,
    );
    return `${name}\n${license}\n${(text || sibling?.text || author).trim()}\n`;
  });
  return [...new Set(texts)].join('\n\n');
}

function readPackage(folder) {
  const { name, license, author, repository } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const file = readdirSync(folder).find((entry) => /^(?:un)?licen[sc]e/i.test(entry));
  return {
    name,
    license,
    author: author?.name ?? author ?? '',
    repository: repository?.url ?? repository,
    text: file === undefined ? '' : readFileSync(join(folder, file), 'utf8'),
  };
}
