import { post } from './program/index.js';
await post();
