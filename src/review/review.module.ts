import { Module } from '@nestjs/common';
import { OpenReviewController, ReviewController } from './review.controller.js';
import { ReviewService } from './review.service.js';

@Module({ controllers: [ReviewController, OpenReviewController], providers: [ReviewService] })
export class ReviewModule {}
