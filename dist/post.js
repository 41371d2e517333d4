process.argv[2] = 'post';
await import('./index.js');
