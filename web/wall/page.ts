import '../kit/older-browsers.js';
import { Board } from './board.js';
import { Chime } from './chime.js';
import { connect } from './connect.js';
import { addControls } from './controls.js';
import { followState } from './event-state.js';
import { Formats } from './formats.js';
import { byId, type WallModel } from './model.js';
import { Scene } from './scene.js';
import { Wall } from './wall.js';

// Without a model, the page only shows that there is no wall.
if (document.body.dataset.model) start(JSON.parse(document.body.dataset.model) as WallModel);

function start(model: WallModel): void {
  document.documentElement.style.setProperty('--scale', String(model.scale));
  const scene = new Scene(model.status);
  const chime = new Chime();
  const board = new Board(model.event, new Formats(model), () => byId('raise').hidden === true);
  const wall = new Wall(model, scene, board, chime);
  wall.connection('reconnecting');
  connect(model.event, wall);
  followState(model.event, wall);
  // With the empty signs at hand, no name waits for them when the first emoji arrives. The load event comes after the styles.
  addEventListener('load', () => void document.fonts.load("1em 'Emoji Space'", '❤'));
  addControls(scene, board, chime);
}
