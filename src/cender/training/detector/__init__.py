"""Learning to find neurons: samples, targets, augmentation, the loop, calibration."""
