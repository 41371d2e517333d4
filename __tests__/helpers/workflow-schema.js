import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIST = join(import.meta.dirname, '../../node_modules/@actions/workflow-parser/dist');

export default JSON.parse(readFileSync(join(DIST, 'workflow-v1.0.min.json'), 'utf8'));
