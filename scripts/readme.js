// Fills the tables of inputs and outputs in README.md from action.yml; a test compares the two.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';

const { inputs, outputs } = parse(readFileSync('action.yml', 'utf8'));
const readme = readFileSync('README.md', 'utf8');
writeFileSync('README.md', fill(fill(readme, 'inputs', inputTable()), 'outputs', outputTable()));

function inputTable() {
  const rows = Object.entries(inputs).map(([name, input]) => [
    `\`${name}\``,
    shown(input.default),
    text(input),
  ]);
  return table(['Input', 'Default', 'Meaning'], rows);
}

function outputTable() {
  return table(
    ['Output', 'Meaning'],
    Object.entries(outputs).map(([name, output]) => [`\`${name}\``, text(output)]),
  );
}

function shown(value) {
  return value === undefined || value === '' ? '' : `\`${value}\``;
}

function text({ description }) {
  return description.trim().replaceAll('|', '\\|');
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function fill(markdown, name, content) {
  const [before, rest] = markdown.split(`<!-- ${name} -->\n`);
  const [, after] = rest.split(`\n<!-- /${name} -->`);
  return `${before}<!-- ${name} -->\n${content}\n<!-- /${name} -->${after}`;
}
