import '../kit/older-browsers.js';
import { render } from 'preact';
import { stayAwake } from '../kit/stay-awake.js';
import { connect } from '../wall/connect.js';
import { followState } from '../wall/event-state.js';
import { Formats } from '../wall/formats.js';
import { Evening } from './evening.js';
import type { StageModel } from './model.js';
import { Stage } from './stage.js';

// Without a model, the page only shows that the event is not public.
if (document.body.dataset.model) start(JSON.parse(document.body.dataset.model) as StageModel);

function start(model: StageModel): void {
  const root = document.getElementById('stage') as HTMLElement;
  const formats = new Formats(model);
  let isDrawn = true;
  const draw = () => {
    isDrawn = true;
    render(<Stage model={model} formats={formats} shown={evening.shown} />, root);
  };
  // A burst of messages draws the page once per frame.
  const evening = new Evening(
    {
      connection: 'reconnecting',
      status: model.status,
      totals: undefined,
      donations: [],
      milestones: [],
      pools: [],
      round: undefined,
      control: model.control,
    },
    () => {
      if (!isDrawn) return;
      isDrawn = false;
      requestAnimationFrame(draw);
    },
  );
  root.replaceChildren();
  draw();
  connect(model.event, evening);
  followState(model.event, evening);
  stayAwake();
}
