"""Recorded results of TensorFlow's optimizer kernels: name, options, new values.

The variables of a kernel hold numbers from 0.5 to 1.5, times 1 + 0.1 * k for the parameter at k: three, or three rows
of two where rows are updated.
"""

from math import nan

ANSWERS = [
    (
        "ResourceApplyAdaMax",
        {},
        {"var": [-0.089109, 0.215359, 0.670201], "m": [0.595, 0.94, 1.487], "v": [1.0, 1.188, 1.782]},
    ),
    (
        "ResourceApplyAdadelta",
        {},
        {
            "var": [0.406314, 1.059481, 1.497507],
            "accum": [0.685, 0.845, 1.15512],
            "accum_update": [0.683309, 0.94614, 1.260186],
        },
    ),
    ("ResourceApplyAdagrad", {}, {"var": [0.419678, 1.043033, 1.498443], "accum": [1.55, 1.35, 1.6504]}),
    (
        "ResourceApplyAdagrad",
        {"update_slots": False},
        {"var": [0.36516, 1.047673, 1.498443], "accum": [0.55, 1.1, 1.65]},
    ),
    (
        "ResourceApplyAdagradDA",
        {},
        {
            "var": [-0.119599, -0.047101, -0.121681],
            "gradient_accumulator": [1.55, 0.6, 1.67],
            "gradient_squared_accumulator": [1.6, 1.45, 1.8004],
        },
    ),
    ("ResourceApplyAdagradV2", {}, {"var": [0.420318, 1.042666, 1.498455], "accum": [1.55, 1.35, 1.6504]}),
    (
        "ResourceApplyAdagradV2",
        {"update_slots": False},
        {"var": [0.366954, 1.047223, 1.498455], "accum": [0.55, 1.1, 1.65]},
    ),
    (
        "ResourceApplyAdam",
        {},
        {"var": [0.424413, 0.914631, 1.389436], "m": [0.595, 0.94, 1.487], "v": [0.604, 1.1905, 1.782004]},
    ),
    (
        "ResourceApplyAdam",
        {"use_nesterov": True},
        {"var": [0.419268, 0.927709, 1.400343], "m": [0.595, 0.94, 1.487], "v": [0.604, 1.1905, 1.782004]},
    ),
    (
        "ResourceApplyAdamWithAmsgrad",
        {},
        {
            "var": [0.427104, 0.918273, 1.394271],
            "m": [0.595, 0.94, 1.487],
            "v": [0.604, 1.1905, 1.782004],
            "vhat": [0.65, 1.3, 1.95],
        },
    ),
    ("ResourceApplyAddSign", {}, {"var": [0.38, 0.97, 1.4976], "m": [0.73, 0.46, 0.998]}),
    (
        "ResourceApplyCenteredRMSProp",
        {},
        {
            "var": [-0.215824, 0.028004, nan],
            "mg": [0.685, 0.62, 1.161],
            "ms": [0.72, 0.915, 1.26012],
            "mom": [0.715824, 0.971996, nan],
        },
    ),
    (
        "ResourceApplyFtrl",
        {},
        {
            "var": [0.072607, 0.036098, -0.140273],
            "accum": [1.55, 1.35, 1.6504],
            "linear": [-0.91685, -0.430862, 1.817665],
        },
    ),
    (
        "ResourceApplyFtrl",
        {"multiply_linear_by_lr": True},
        {
            "var": [-0.358141, -0.888514, -1.397374],
            "accum": [1.55, 1.35, 1.6504],
            "linear": [0.448315, 1.036914, 1.801766],
        },
    ),
    (
        "ResourceApplyFtrlV2",
        {},
        {
            "var": [0.068603, 0.027521, -0.151913],
            "accum": [1.55, 1.35, 1.6504],
            "linear": [-0.86685, -0.330862, 1.967665],
        },
    ),
    (
        "ResourceApplyFtrlV2",
        {"multiply_linear_by_lr": True},
        {
            "var": [-0.362145, -0.897091, -1.409014],
            "accum": [1.55, 1.35, 1.6504],
            "linear": [0.453315, 1.046914, 1.816766],
        },
    ),
    ("ResourceApplyGradientDescent", {}, {"var": [0.2, 1.15, 1.494]}),
    ("ResourceApplyKerasMomentum", {}, {"var": [0.84, 1.93, 2.818], "accum": [0.34, 0.93, 1.318]}),
    (
        "ResourceApplyKerasMomentum",
        {"use_nesterov": True},
        {"var": [0.672, 1.794, 2.5524], "accum": [0.34, 0.93, 1.318]},
    ),
    ("ResourceApplyMomentum", {}, {"var": [0.356, 0.962, 1.366], "accum": [1.44, 0.38, 1.34]}),
    ("ResourceApplyMomentum", {"use_nesterov": True}, {"var": [0.2848, 1.0196, 1.3908], "accum": [1.44, 0.38, 1.34]}),
    ("ResourceApplyPowerSign", {}, {"var": [0.205532, 1.01698, 1.494111], "m": [0.73, 0.46, 0.998]}),
    ("ResourceApplyProximalAdagrad", {}, {"var": [0.418203, 1.040382, 1.495337], "accum": [1.55, 1.35, 1.6504]}),
    ("ResourceApplyProximalGradientDescent", {}, {"var": [0.195825, 1.140159, 1.482107]}),
    (
        "ResourceApplyRMSProp",
        {},
        {"var": [-0.099952, 0.094074, 0.058147], "ms": [0.685, 0.845, 1.15512], "mom": [0.599952, 0.905926, 1.441853]},
    ),
    (
        "ResourceSparseApplyAdadelta",
        {},
        {
            "var": [0.497515, 0.560574, 0.9, 1.1, 1.190567, 1.560409],
            "accum": [0.38512, 1.739, 0.99, 1.21, 1.301, 1.23],
            "accum_update": [0.420185, 1.171191, 1.08, 1.32, 1.451268, 1.369476],
        },
    ),
    (
        "ResourceSparseApplyAdagrad",
        {},
        {"var": [0.497304, 0.608426, 0.9, 1.1, 1.23585, 1.536274], "accum": [0.5504, 4.77, 0.99, 1.21, 2.43, 1.9]},
    ),
    (
        "ResourceSparseApplyAdagrad",
        {"update_slots": False},
        {"var": [0.497303, 0.472079, 0.9, 1.1, 1.216376, 1.538925], "accum": [0.55, 0.77, 0.99, 1.21, 1.43, 1.65]},
    ),
    (
        "ResourceSparseApplyAdagradDA",
        {},
        {
            "var": [-0.069155, -0.124207, 0.9, 1.1, -0.14944, -0.077898],
            "gradient_accumulator": [0.57, 2.77, 0.99, 1.21, 2.43, 1.15],
            "gradient_squared_accumulator": [0.6004, 4.84, 1.08, 1.32, 2.56, 2.05],
        },
    ),
    (
        "ResourceSparseApplyAdagradV2",
        {},
        {"var": [0.49734, 0.608844, 0.9, 1.1, 1.236259, 1.536013], "accum": [0.5504, 4.77, 0.99, 1.21, 2.43, 1.9]},
    ),
    (
        "ResourceSparseApplyAdagradV2",
        {"update_slots": False},
        {"var": [0.497339, 0.474647, 0.9, 1.1, 1.217069, 1.538624], "accum": [0.55, 0.77, 0.99, 1.21, 1.43, 1.65]},
    ),
    (
        "ResourceSparseApplyCenteredRMSProp",
        {},
        {
            "var": [-0.023798, -0.310651, 0.9, 1.1, nan, 0.02639],
            "mg": [0.391, 1.139, 0.99, 1.21, 1.301, 1.005],
            "ms": [0.42012, 1.788, 1.08, 1.32, 1.392, 1.335],
            "mom": [0.523798, 1.010651, 1.17, 1.43, nan, 1.47361],
        },
    ),
    (
        "ResourceSparseApplyFtrl",
        {},
        {
            "var": [-0.081601, 0.287736, 0.9, 1.1, 0.137522, 0.007105],
            "accum": [0.5504, 4.77, 0.99, 1.21, 2.43, 1.9],
            "linear": [0.618652, -6.305755, 1.08, 1.32, -2.159255, -0.108224],
        },
    ),
    (
        "ResourceSparseApplyFtrl",
        {"multiply_linear_by_lr": True},
        {
            "var": [-0.805569, -0.056866, 0.9, 1.1, -0.75956, -1.163319],
            "accum": [0.5504, 4.77, 0.99, 1.21, 2.43, 1.9],
            "linear": [0.601865, 0.125424, 1.08, 1.32, 1.188074, 1.609178],
        },
    ),
    (
        "ResourceSparseApplyFtrlV2",
        {},
        {
            "var": [-0.088304, 0.284537, 0.9, 1.1, 0.129204, -0.002299],
            "accum": [0.5504, 4.77, 0.99, 1.21, 2.43, 1.9],
            "linear": [0.668652, -6.235755, 1.08, 1.32, -2.029254, 0.041776],
        },
    ),
    (
        "ResourceSparseApplyFtrlV2",
        {"multiply_linear_by_lr": True},
        {
            "var": [-0.812272, -0.060065, 0.9, 1.1, -0.767878, -1.174169],
            "accum": [0.5504, 4.77, 0.99, 1.21, 2.43, 1.9],
            "linear": [0.606865, 0.132424, 1.08, 1.32, 1.201074, 1.624178],
        },
    ),
    (
        "ResourceSparseApplyKerasMomentum",
        {},
        {"var": [0.938, 1.116, 0.9, 1.1, 2.344, 2.87], "accum": [0.438, 0.416, 0.99, 1.21, 1.044, 1.37]},
    ),
    (
        "ResourceSparseApplyKerasMomentum",
        {"use_nesterov": True},
        {"var": [0.8484, 0.8328, 0.9, 1.1, 2.0352, 2.646], "accum": [0.438, 0.416, 0.99, 1.21, 1.044, 1.37]},
    ),
    (
        "ResourceSparseApplyMomentum",
        {},
        {"var": [0.454, 0.4384, 0.9, 1.1, 1.0856, 1.418], "accum": [0.46, 2.616, 0.99, 1.21, 2.144, 0.82]},
    ),
    (
        "ResourceSparseApplyMomentum",
        {"use_nesterov": True},
        {"var": [0.4612, 0.29072, 0.9, 1.1, 1.02848, 1.4844], "accum": [0.46, 2.616, 0.99, 1.21, 2.144, 0.82]},
    ),
    (
        "ResourceSparseApplyProximalAdagrad",
        {},
        {"var": [0.494623, 0.607412, 0.9, 1.1, 1.233626, 1.533324], "accum": [0.5504, 4.77, 0.99, 1.21, 2.43, 1.9]},
    ),
    ("ResourceSparseApplyProximalGradientDescent", {}, {"var": [0.488072, 0.096421, 0.9, 1.1, 0.991054, 1.637177]}),
    (
        "ResourceSparseApplyRMSProp",
        {},
        {
            "var": [0.016818, -0.123229, 0.9, 1.1, -0.035337, 0.104901],
            "ms": [0.38512, 1.739, 0.99, 1.21, 1.301, 1.23],
            "mom": [0.483182, 0.823229, 1.08, 1.32, 1.335337, 1.395099],
        },
    ),
]
