// In `dist`, the build replaces this file with the bundle of the server (scripts/bundle.mjs).
import './server/start.js';
