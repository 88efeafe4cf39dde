// In `dist`, the build puts the bundle of the server in this place (scripts/bundle.mjs).
import './server/start.js';
